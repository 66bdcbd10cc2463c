#!/usr/bin/env python3
"""Puts ikeru's puzzles to the program of the Challeran article: challeran.py PROGRAM PUZZLE (README.md).

Start and goal are in the puzzle's file. The program runs on one thread.
"""
import json
import subprocess
import sys

program, puzzle = sys.argv[1:]
done = subprocess.run([program, puzzle, "-1", "-1", "1"], capture_output=True, text=True, check=True)
# width,height,score,route,operations,seconds
_, _, score, route, *_ = done.stdout.split(",")
# The route begins with the start twice.
trail = [int(vertex) for vertex in route.split("->")][1:]
answer = {"start": trail[0], "goal": trail[-1], "trail": trail, "score": int(score)}
print(json.dumps({"answer": answer, "proven": True}))
