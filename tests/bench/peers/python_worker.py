"""The worker for Python's subprocess.run: way.h describes its protocol. Usage: python_worker.py PROGRAM"""
import subprocess
import sys
import time

argv = sys.argv[1:]
touched = bytearray(b"x") * (10 * 1024 * 1024)  # A host of 10 MB, as the others have.


def once():
    began = time.perf_counter_ns()
    subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return time.perf_counter_ns() - began


print("ready", flush=True)
for line in sys.stdin:
    try:
        print("took", *(once() for _ in range(int(line.split()[1]))), flush=True)
    except (OSError, subprocess.SubprocessError) as error:
        print("failed", error, flush=True)
