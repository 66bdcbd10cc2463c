"""Prints an instance: the capacity, then weight and value of each item. Arguments: seed, number of items."""
import random
import sys

seed, items = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed * 1_000_003 + items)
weights = [draw.randint(10, 100) for _ in range(items)]
values = [weight + draw.randint(0, 30) for weight in weights]
print(sum(weights) // 3)
for weight, value in zip(weights, values):
    print(weight, value)
