"""Prints an instance: height, place and width of some hills. Argument: the seed."""
import random
import sys

draw = random.Random(int(sys.argv[1]))
for _ in range(4):
    print(draw.randint(100, 1000), draw.randint(0, 9999), draw.randint(200, 2000))
