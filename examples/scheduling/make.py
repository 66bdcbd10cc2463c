"""Prints an instance: the number of jobs, then length, weight and due time of each. Arguments: seed, number of jobs."""
import random
import sys

seed, jobs = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed * 1_000_003 + jobs)
lengths = [draw.randint(1, 100) for _ in range(jobs)]
print(jobs)
for length in lengths:
    print(length, draw.randint(1, 10), draw.randint(0, sum(lengths)))
