"""Runs clients that behave well with many seeds on a busy machine. Every finding is a false one.

Usage: bench/clients.py FOLDER-OF-THE-BINARY [SEEDS]. Needs Node, and Python with `requests` and `httpx`.
"""

import json
import multiprocessing
import pathlib
import subprocess
import sys

SEEDS = 50
BUSY = 2
CLIENTS = {
    "requests": [sys.executable, "examples/clients/honest.py", "requests"],
    "httpx": [sys.executable, "examples/clients/honest.py", "httpx"],
    "fetch": ["node", "examples/clients/honest.mjs"],
    "curl": ["sh", "examples/clients/honest.sh"],
}


def burn():
    while True:
        pass


def findings(moot, seed, command):
    """The findings of one run, or its output if it failed."""
    options = ["exec", "--format", "json", "--progression", "on-read:1", "--seed", str(seed), "--"]
    ran = subprocess.run([moot, *options, *command], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        return [f"ended with {ran.returncode}: {ran.stderr[-200:]}"]
    return json.loads(ran.stdout.splitlines()[-1])["conduct"]["findings"]


def main():
    moot = pathlib.Path(sys.argv[1], "moot").resolve()
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else SEEDS
    clients = {**CLIENTS, "reqwest": [str(moot), "selftest", "--misbehave", "none"]}
    busy = [multiprocessing.Process(target=burn, daemon=True) for _ in range(BUSY)]
    for process in busy:
        process.start()
    false = 0
    for name, command in clients.items():
        found = [one for seed in range(1, seeds + 1) for one in findings(moot, seed, command)]
        false += len(found)
        print(f"{name}: {len(found)} findings in {seeds} runs {found or ''}")
    for process in busy:
        process.terminate()
    sys.exit(1 if false else 0)


if __name__ == "__main__":
    main()
