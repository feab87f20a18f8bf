"""Reorder the objects of a heap dump, always in the same way, from standard input to standard output.

Declarations come first, roots last."""
import random
import sys

first, objects, last = [], [], []
for line in sys.stdin:
    (objects if line.startswith("o ") else last if objects and line[:2] not in ("t ", "a ") else
     first).append(line)
random.Random(7).shuffle(objects)
sys.stdout.writelines([*first, *objects, *last])
