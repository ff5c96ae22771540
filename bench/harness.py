#!/usr/bin/env python3
"""The harness beside a bare reqwest loop that makes the same calls. Called by bench/run with the folder of the
built programs. By environment: CHECKS=1000,10000, REPEATS=3, SERVER (a command with {port} in it)."""
import json, os, pathlib, statistics, subprocess, sys, tempfile, time

import suite
from process import Call, Server, others_share, pinned, send, LOAD_CPU

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
CHECKS = [int(checks) for checks in os.environ.get("CHECKS", "1000,10000").split(",")]
REPEATS = int(os.environ.get("REPEATS", 3))
SERVER = os.environ.get("SERVER", f"{PROGRAMS}/moot mock --listen 127.0.0.1:{{port}} --rate-limit off --seed 1 --world bench")
FORM = b"grant_type=client_credentials&client_id=bench&client_secret=bench-secret&scope=read+write"
TARGET = """base_url: http://127.0.0.1:{port}
admin: none
applications:
  main: {{ client_id: bench, client_secret: bench-secret, scopes: [read, write] }}
limits: {{ requests_per_minute: 0, token_requests_per_minute: 0 }}
"""


def timed(command):
    """Seconds of wall time, processor seconds, peak MiB, exit code, last line of the output."""
    with tempfile.TemporaryFile() as out:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        out.seek(0)
        lines = out.read().decode(errors="replace").strip().splitlines() or [""]
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status), lines[-1].strip()


def row(name, commands):
    """Runs the commands in turn, so that each meets the same load of the machine."""
    rows = [[timed(command) for command in commands] for _ in range(REPEATS)]
    middles = [[statistics.median(row[side][part] for row in rows) for part in range(3)] for side in range(len(commands))]
    (wall, work, memory), last = middles[0], rows[-1][0]
    beside = f"{middles[1][0]:.2f} s ({middles[1][1]:.2f} s)" if len(commands) > 1 else "–"
    ratio = statistics.median(row[0][1] / row[1][1] for row in rows) if len(commands) > 1 else None
    print(f"| {name} | {wall:.2f} s ({work:.2f} s) | {beside} | {f'{ratio:.1f}' if ratio else '–'} | {memory:.0f} MiB "
          f"| {last[3]} | {last[4][:40]} |", flush=True)


def main():
    moot = f"{PROGRAMS}/moot"
    with tempfile.TemporaryDirectory() as folder, Server(SERVER) as server:
        server.wait_for(Call("POST", "/oauth/token", {"Content-Type": "application/x-www-form-urlencoded"}, FORM))
        token = json.loads(send(server.port, Call("POST", "/oauth/token",
                           {"Content-Type": "application/x-www-form-urlencoded"}, FORM))[1])["access_token"]
        listed = send(server.port, Call("GET", "/v1/requests", {"Authorization": f"Bearer {token}"}))[1]
        first_id = json.loads(listed)["data"][0]["id"]
        target = pathlib.Path(folder, "target.yaml")
        target.write_text(TARGET.format(port=server.port))
        print(f"Wall time, in brackets processor time; other programs took {others_share():.0%} of the machine just before.\n")
        print("| suite | ours | reqwest loop | ratio of processor time | peak | exit | said |\n|---|---|---|---|---|---|---|")
        for checks in [1, *CHECKS]:
            scenarios = f"{folder}/{checks}"
            suite.write(scenarios, checks, first_id)
            for jobs in (1, 16):
                ours = [moot, "run", "--target", str(target), "--scenarios", scenarios, "--rate", "0", "--jobs", str(jobs)]
                loop = [f"{PROGRAMS}/examples/reqwest_loop", f"http://127.0.0.1:{server.port}", str(checks), str(jobs), first_id]
                row(f"{checks} checks, {jobs} in flight", [pinned(ours, LOAD_CPU), pinned(loop, LOAD_CPU)])
        row("the bundled suite, in process", [[moot, "run"]])


main()
