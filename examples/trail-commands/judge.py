"""The referee of trails: computes the score of the vertices in an answer of `ikeru solve trail … --json`."""
import json
import sys


def wrong(why):
    print(json.dumps({"wrong": why}))
    sys.exit()


with open(sys.argv[1]) as instance:
    width, height, *words = instance.read().split()
width, height, words = int(width), int(height), iter(words)
operations = {}
for row in range(height):
    for x in range(width - 1):
        operations[row * width + x, row * width + x + 1] = next(words)
    for x in range(width if row + 1 < height else 0):
        operations[row * width + x, (row + 1) * width + x] = next(words)
rest = [int(word) for word in words]
start, goal = (rest[1], rest[1 + rest[0]]) if rest else (0, width * height - 1)
with open(sys.argv[2]) as answer:
    trail = json.load(answer)["answer"]["trail"]
if trail is None or trail[0] != start or trail[-1] != goal:
    wrong(f"no trail from {start} to {goal}")
score, passed = 1, set()
for edge in zip(trail, trail[1:]):
    edge = tuple(sorted(edge))
    if edge not in operations:
        wrong(f"there is no edge {edge}")
    if edge in passed:
        wrong(f"the edge {edge} is passed twice")
    passed.add(edge)
    value = int(operations[edge][1:])
    match operations[edge][0]:
        case "+":
            score += value
        case "-":
            score -= value
        case "*":
            score *= value
        case other:
            wrong(f"the judge does not know the operation {other}")
print(json.dumps({"score": score}))
