#!/usr/bin/env python3
"""`reach.py` that loses a vertex where the number of reachable vertices is even: the referee must see it every time.

    python3 liar.py MAP STEPS
"""
import json
import subprocess
import sys
from pathlib import Path

honest = Path(__file__).with_name("reach.py")
said = json.loads(subprocess.check_output([sys.executable, honest, *sys.argv[1:]]))
reachable = said["answer"]["reachable"]
if len(reachable) % 2 == 0 and reachable:
    reachable.pop()
print(json.dumps(said))
