"""The referee: prints the score of an answer, or why it is wrong. Arguments: files of the instance and the answer."""
import json
import sys


def wrong(why):
    print(json.dumps({"wrong": why}))
    sys.exit()


with open(sys.argv[1]) as instance:
    capacity, *items = [tuple(map(int, line.split())) for line in instance]
try:
    with open(sys.argv[2]) as answer:
        taken = [int(word) for word in answer.read().split()]
except ValueError as error:
    wrong(f"no list of items: {error}")
if len(set(taken)) < len(taken):
    wrong("an item is taken twice")
if any(not 0 <= item < len(items) for item in taken):
    wrong("an item that is not there is taken")
weight = sum(items[item][0] for item in taken)
if weight > capacity[0]:
    wrong(f"the weight is {weight}, the capacity {capacity[0]}")
print(json.dumps({"score": sum(items[item][1] for item in taken)}))
