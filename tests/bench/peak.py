#!/usr/bin/env python3
"""Print the peak memory of a command in bytes: peak.py COMMAND ARGUMENT..."""
import resource
import subprocess
import sys

done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(done.returncode)
