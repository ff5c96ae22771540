#!/usr/bin/env python3
"""The harness compared with a bare reqwest loop that makes the same calls, and with Hurl if it is installed. Called
by bench/run with the folder of the built programs. From the environment: CHECKS=1000,10000, REPEATS=3, SERVER (a command
with {port} in it), HURL (the program, if it is not on the PATH)."""
import json, os, pathlib, shutil, statistics, subprocess, sys, tempfile, time

import suite
from process import LOAD_CPU, TOKEN_CALL, Call, Server, others_share, pinned, send, state

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
CHECKS = [int(checks) for checks in os.environ.get("CHECKS", "1000,10000").split(",")]
REPEATS = int(os.environ.get("REPEATS", 3))
SERVER = os.environ.get("SERVER", f"{PROGRAMS}/moot mock --listen 127.0.0.1:{{port}} --rate-limit off --seed 1 --world bench")
HURL = os.environ.get("HURL") or shutil.which("hurl")
# The limits apply from these numbers of checks on. With fewer, start-up dominates.
LOOP_RATIO_MAX, MEMORY_MIB_MAX, LIMITED_FROM_CHECKS = 4.0, 80, 10_000
HURL_RATIO_MAX, HURL_FROM_CHECKS = 1.0, 1_000
TARGET = """base_url: http://127.0.0.1:{port}
admin: none
applications:
  main: {{ client_id: bench, client_secret: bench-secret, scopes: [read, write] }}
limits: {{ requests_per_minute: 0, token_requests_per_minute: 0 }}
"""


def timed(command):
    """Runs a command; returns wall seconds, processor seconds, peak MiB, exit code and the last line of its output."""
    with tempfile.TemporaryFile() as out:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        out.seek(0)
        lines = out.read().decode(errors="replace").strip().splitlines() or [""]
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status), lines[-1].strip()


def limits(checks, memory, ratios):
    """The limits for this number of checks, each with its state. `ratios` are wall time to that of loop and Hurl."""
    texts = []
    if checks >= HURL_FROM_CHECKS and len(ratios) > 1:
        texts.append(f"{HURL_RATIO_MAX} × Hurl: {state(ratios[1] <= HURL_RATIO_MAX)}")
    if checks >= LIMITED_FROM_CHECKS and ratios:
        texts.append(f"{LOOP_RATIO_MAX} × loop: {state(ratios[0] <= LOOP_RATIO_MAX)}")
        texts.append(f"{MEMORY_MIB_MAX} MiB: {state(memory <= MEMORY_MIB_MAX)}")
    return ", ".join(texts) or "–"


def row(name, checks, commands):
    """Runs the harness, the loop and Hurl in turn, so that the machine has the same load for each."""
    rows = [[timed(command) for command in commands] for _ in range(REPEATS)]
    middles = [[statistics.median(row[side][part] for row in rows) for part in range(3)] for side in range(len(commands))]
    last = rows[-1]
    texts = [f"{wall:.2f} s ({work:.2f} s), {memory:.0f} MiB" for wall, work, memory in middles]
    beside, ratios = [], []
    for side in (1, 2):
        if side >= len(commands):
            beside.append("–" if side == 1 or HURL else "not installed")
            continue
        wall, work = (statistics.median(row[0][part] / row[side][part] for row in rows) for part in (0, 1))
        ratios.append(wall)
        trouble = f", exit {last[side][3]}: {last[side][4][:40]}" if last[side][3] else ""
        beside.append(f"{texts[side]}: {wall:.2f} × ({work:.2f} ×){trouble}")
    print(f"| {name} | {texts[0]} | {' | '.join(beside)} | {limits(checks, middles[0][2], ratios)} "
          f"| {last[0][3]} | {last[0][4][:40]} |", flush=True)


def main():
    moot = f"{PROGRAMS}/moot"
    with tempfile.TemporaryDirectory() as folder, Server(SERVER) as server:
        server.wait_for(TOKEN_CALL)
        token = json.loads(send(server.port, TOKEN_CALL)[1])["access_token"]
        listed = send(server.port, Call("GET", "/v1/requests", {"Authorization": f"Bearer {token}"}))[1]
        first_id = json.loads(listed)["data"][0]["id"]
        target = pathlib.Path(folder, "target.yaml")
        target.write_text(TARGET.format(port=server.port))
        print(f"Wall time, in brackets processor time; other programs took {others_share():.0%} of the machine just before.\n")
        print("Of each reference: wall time (processor time), peak memory, and ours divided by it.\n")
        print("| suite | ours | reqwest loop | Hurl | limits | exit | last line |\n|---|---|---|---|---|---|---|")
        for checks in [1, *CHECKS]:
            scenarios = f"{folder}/{checks}"
            suite.write(scenarios, checks, first_id)
            one_file = suite.write_hurl(f"{folder}/hurl{checks}", checks, first_id, f"http://127.0.0.1:{server.port}")
            for jobs in (1, 16):
                ours = [moot, "run", "--target", str(target), "--scenarios", scenarios, "--rate", "0", "--jobs", str(jobs)]
                loop = [f"{PROGRAMS}/examples/reqwest_loop", f"http://127.0.0.1:{server.port}", str(checks), str(jobs), first_id]
                commands = [ours, loop]
                if HURL:
                    # Hurl runs files side by side. With one job a single file is its fastest input.
                    files = [str(one_file)] if jobs == 1 else [f"{folder}/hurl{checks}"]
                    commands.append([HURL, "--test", "--jobs", str(jobs), *files])
                row(f"{checks} checks, {jobs} in flight", checks, [pinned(command, LOAD_CPU) for command in commands])
        row("the bundled suite, in process", 0, [[moot, "run"]])


main()
