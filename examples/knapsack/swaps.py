"""Begins like greedy.py, then swaps a taken item for another one as long as that helps."""
import sys

(capacity,), *items = [tuple(map(int, line.split())) for line in sys.stdin]
taken, left = set(), capacity
for item in sorted(range(len(items)), key=lambda item: -items[item][1] / items[item][0]):
    if items[item][0] <= left:
        left -= items[item][0]
        taken.add(item)
swaps, is_better = 0, True
while is_better:
    is_better = False
    for out in sorted(taken):
        for other in range(len(items)):
            more = items[other][0] - items[out][0]
            if other not in taken and more <= left and items[other][1] > items[out][1]:
                taken.remove(out)
                taken.add(other)
                left -= more
                swaps, is_better = swaps + 1, True
                break
print("#s swaps", swaps, file=sys.stderr)
print(*sorted(taken))
