"""Starts the solver, tells it the height at each place that it asks for (0 to 9999), and prints the score: the largest
height that it was told. Arguments: the file of the instance, then the solver's command."""
import subprocess
import sys

QUESTIONS = 20
with open(sys.argv[1]) as instance:
    hills = [tuple(map(int, line.split())) for line in instance]
solver = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
best = 0
print(QUESTIONS, file=solver.stdin, flush=True)
for _ in range(QUESTIONS):
    place = int(solver.stdout.readline())
    if not 0 <= place <= 9999:
        sys.exit(f"there is no place {place}")
    height = max(max(0, high - high * abs(place - middle) // width) for high, middle, width in hills)
    best = max(best, height)
    print(height, file=solver.stdin, flush=True)
print("Score =", best)
