#!/usr/bin/env python3
"""The mock compared with bare hyper: calls/s in pairs, cold start, memory. Each figure is printed with its limit.
Called by bench/run with the folder of the built programs. From the environment: PAIRS=5, SECONDS=1 (of one load),
OPERATIONS=list,one,token,create, CONNECTIONS=16,64, CALLS=1000000 (before memory is read), COMMAND (of the mock, with
{port} in it)."""
import json, os, pathlib, statistics, sys, tempfile, time

from process import TOKEN_CALL, Call, Load, Server, memory_mib, others_share, processor_seconds, send, state

PROGRAMS = pathlib.Path(sys.argv[1])
PAIRS = int(os.environ.get("PAIRS", 5))
LOAD_SECONDS = int(os.environ.get("SECONDS", 1))
OPERATIONS = os.environ.get("OPERATIONS", "list,one,token,create").split(",")
CONNECTIONS = [int(count) for count in os.environ.get("CONNECTIONS", "16,64").split(",")]
CALLS = int(os.environ.get("CALLS", 1_000_000))
MOCK = f"{PROGRAMS}/moot mock --listen 127.0.0.1:{{port}} --rate-limit observe --seed 1 --world"
COMMAND = os.environ.get("COMMAND", f"{MOCK} bench")
# Limits: the smallest ratio of calls/s to bare hyper, and the largest value of each other figure.
RATIO_FLOORS = {"list": 0.55, "one": 0.70, "token": 0.55, "create": 0.35}
FIRST_RESPONSE_MS_MAX = 15
IDLE_MIB_MAX = 16
USED_MIB_MAX = 30
COLD_STARTS = 11


def calls(port):
    """The four calls, with a token and ids from the mock."""
    token = json.loads(send(port, TOKEN_CALL)[1])["access_token"]
    bearer = {"Authorization": f"Bearer {token}"}
    listed = Call("GET", "/v1/requests", bearer)
    first = json.loads(send(port, listed)[1])["data"][0]["id"]
    workflow = next(row["id"] for row in json.loads(send(port, Call("GET", "/v1/workflows", bearer))[1])["data"]
                    if row["attributes"]["type"] == "generated")
    schema = json.loads(send(port, Call("GET", f"/v1/workflows/{workflow}/schema", bearer))[1])
    values = {"workflow_id": workflow, "requester_email": "requester@bench.example"}
    for field in schema["required_fields"]:
        values.setdefault(field, "sample@counterparty.example" if field.endswith("email") else "Sample Works Ltd")
    body = "".join(f'--b0\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                   for name, value in values.items()) + "--b0--\r\n"
    create = Call("POST", "/v1/requests", {**bearer, "Content-Type": "multipart/form-data; boundary=b0"}, body.encode())
    return {"list": listed, "one": Call("GET", f"/v1/requests/{first}", bearer), "token": TOKEN_CALL, "create": create}


def pairs(load, ours, hyper, operation, call, connections):
    """Prints the medians of both sides and of the ratio of each pair."""
    rows = []
    for number in range(PAIRS):
        sides = [("ours", ours), ("hyper", hyper)]
        row = {}
        for name, server in sides if number % 2 == 0 else reversed(sides):
            if operation == "create":
                send(ours.port, Call("POST", "/__admin/reset", {}))  # keeps the number of legal requests small
            before = processor_seconds(server)
            row[name] = load.run(server.port, connections, LOAD_SECONDS, call)
            row[name]["cost"] = (processor_seconds(server) - before) / row[name]["calls"]
        rows.append(row)
    middle = lambda of: statistics.median(of(row) for row in rows)
    ratio = middle(lambda row: row["ours"]["rate"] / row["hyper"]["rate"])
    work = middle(lambda row: row["hyper"]["cost"] / row["ours"]["cost"])
    late = middle(lambda row: row["ours"]["p99_ms"]) - middle(lambda row: row["hyper"]["p99_ms"])
    bad = sum(row[side]["bad"] for row in rows for side in row)
    floor = RATIO_FLOORS[operation]
    print(f"| {operation} | {connections} | {middle(lambda row: row['ours']['rate']):,.0f} "
          f"| {middle(lambda row: row['hyper']['rate']):,.0f} | {ratio:.2f} | {work:.2f} "
          f"| {floor:.2f}, {state(ratio >= floor)} | {late:+.2f} ms "
          f"| {middle(lambda row: row['ours']['cost']) * 1e6:.1f} µs | {bad} |", flush=True)


def figure(name, value, unit, most):
    print(f"| {name} | {value:.1f} {unit} | {most} {unit}, {state(value <= most)} |", flush=True)


def cold_start(command):
    """Median time from spawn to the first 200, in milliseconds."""
    times = []
    for _ in range(COLD_STARTS):
        begun = time.perf_counter()
        with Server(command, pause=0.0005) as server:
            server.wait_for(Call("GET", "/__admin/health", {}))
            times.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(times)


def main():
    with tempfile.TemporaryDirectory() as folder:
        load = Load(PROGRAMS, pathlib.Path(folder))
        with Server(COMMAND) as ours:
            ours.wait_for(Call("GET", "/__admin/health", {}))
            asked = calls(ours.port)
            for name, call in asked.items():
                status, body = send(ours.port, call)
                assert status in (200, 201), f"{name}: {status} {body!r}"
                pathlib.Path(folder, f"{name}.json").write_bytes(body)
            with Server(f"{PROGRAMS}/examples/bare_hyper {{port}} {folder}") as hyper:
                hyper.wait_for(asked["one"])
                print(f"Load by {load.name}; {PAIRS} pairs of {LOAD_SECONDS} s each; other programs took "
                      f"{others_share():.0%} of the machine just before.\n")
                print("| call | connections | ours/s | bare hyper/s | ratio | by processor time | floor | p99 minus hyper's | per call | errors |")
                print("|---|---|---|---|---|---|---|---|---|---|")
                for operation in OPERATIONS:
                    for connections in CONNECTIONS:
                        pairs(load, ours, hyper, operation, asked[operation], connections)
                hyper_idle = cold_start(f"{PROGRAMS}/examples/bare_hyper {{port}} {folder}")
        memory(load)
        figure(f"first response after start, demo world (bare hyper {hyper_idle:.1f} ms)",
               cold_start(COMMAND.replace("bench", "demo")), "ms", FIRST_RESPONSE_MS_MAX)


def memory(load):
    """Prints the resident memory of a new server, idle and after calls."""
    print("\n| figure | ours | at most |\n|---|---|---|")
    with Server(COMMAND) as ours:
        ours.wait_for(Call("GET", "/__admin/health", {}))
        figure("memory, idle", memory_mib(ours), "MiB", IDLE_MIB_MAX)
        asked, done, turn = calls(ours.port), 0, 0
        while done < CALLS:
            operation = ("list", "one", "token")[turn % 3]
            done += load.run(ours.port, 16, LOAD_SECONDS, asked[operation])["calls"]
            turn += 1
        figure(f"memory after {done:,} calls of list, one and token", memory_mib(ours), "MiB", USED_MIB_MAX)


main()
