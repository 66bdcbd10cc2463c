#!/usr/bin/env python3
"""A solver of `reach` without the poverty god: all states (vertex, arrived from), step by step.

    python3 reach.py MAP STEPS      answers once
    python3 reach.py --lines        answers line by line, for protocol = "jsonl"
    python3 reach.py --replay       the same, but its answer is ready before it is asked: what the protocol costs
"""
import json
import sys


def read(path):
    lines = [line.strip() for line in open(path)]
    count = int(lines[0])
    neighbours = [[int(word) for word in line.split(",") if word] for line in lines[1 : count + 1]]
    start = int(lines[count + 2].split(",")[0])
    return neighbours, start


def reach(neighbours, start, steps):
    states, visited = {(start, None)}, 0
    for _ in range(steps):
        visited += len(states)
        states = {(to, vertex) for vertex, before in states for to in neighbours[vertex] if to != before}
    answer = {"reachable": sorted({vertex for vertex, _ in states})}
    return {"count": {"states": visited + len(states)}, "answer": answer, "proven": True}


def say(message):
    print(json.dumps(message), flush=True)


if sys.argv[1:] not in (["--lines"], ["--replay"]):
    path, steps = sys.argv[1:]
    say(reach(*read(path), int(steps)))
    sys.exit()
for line in sys.stdin:
    message = json.loads(line)
    if "prepare" in message:
        asked = message["prepare"]
        neighbours, start = read(asked["instance"])
        steps = asked["settings"]["steps"]
        ready = reach(neighbours, start, steps) if sys.argv[1] == "--replay" else None
        say({"ready": True})
    else:
        say(ready or reach(neighbours, start, steps))
