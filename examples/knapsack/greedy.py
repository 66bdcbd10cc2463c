"""Takes items by their value for each unit of weight, as long as they fit."""
import sys

(capacity,), *items = [tuple(map(int, line.split())) for line in sys.stdin]
taken = []
for item in sorted(range(len(items)), key=lambda item: -items[item][1] / items[item][0]):
    if items[item][0] <= capacity:
        capacity -= items[item][0]
        taken.append(item)
print(*taken)
