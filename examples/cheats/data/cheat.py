"""Foreign solvers of `rising` that cheat: python3 cheat.py HOW INSTANCE"""
import hashlib
import json
import os
import sys
import tempfile

how, path = sys.argv[1:]
numbers = [int(line) for line in open(path)]


def longest(numbers):
    best = []
    for at, number in enumerate(numbers):
        before = max((b for b in range(at) if numbers[b] < number), key=lambda b: best[b][0], default=at)
        best.append((best[before][0] + 1 if before < at else 1, before))
    places = [max(range(len(best)), key=lambda at: best[at][0])]
    while best[places[-1]][1] != places[-1]:
        places.append(best[places[-1]][1])
    return places[::-1]


if how == "file":
    # The next process finds the answer of this one.
    name = hashlib.sha256(repr(numbers).encode()).hexdigest()
    kept = os.path.join(os.environ.get("CHEAT_FOLDER", tempfile.gettempdir()), name)
    if not os.path.exists(kept):
        with open(kept, "w") as file:
            json.dump(longest(numbers), file)
    places = json.load(open(kept))
elif how == "other":
    # The answer of the sorted numbers, which is easy.
    places = list(range(len(set(numbers))))
else:
    places = longest(numbers)
if how == "best":
    print(json.dumps({"best": 10**6}), flush=True)
said = {"answer": {"places": places}}
if how == "clock":
    said["wall_ns"] = 1
print(json.dumps(said))
