"""make SEED LENGTH | judge INSTANCE ANSWER | insertion < INSTANCE | built-in < INSTANCE"""
import random, sys


class Number(float):
    comparisons = 0

    def __lt__(self, other):
        Number.comparisons += 1
        return float(self) < float(other)


def insertion(numbers):
    for end in range(1, len(numbers)):
        at = end
        while at and numbers[at] < numbers[at - 1]:
            numbers[at - 1], numbers[at] = numbers[at], numbers[at - 1]
            at -= 1
    return numbers


def read(file):
    return [Number(word) for word in file.read().split()]


task, *rest = sys.argv[1:]
if task == "make":
    random.seed(rest[0])
    print(*(random.random() for _ in range(int(rest[1]))))
elif task == "judge":
    given, answer = (read(open(name)) for name in rest)
    print('{"score": 1}' if answer == sorted(given) else '{"wrong": "not sorted"}')
else:
    print(*(insertion if task == "insertion" else sorted)(read(sys.stdin)))
    print("#s comparisons", Number.comparisons, file=sys.stderr)
