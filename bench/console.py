#!/usr/bin/env python3
"""The console in Chromium: the time from a call to its row, and the cost of a reader of `/events`. Called by bench/run
with the folder of the built programs. From the environment: CALLS=300, PAIRS=5, SECONDS=4, CONNECTIONS=16."""
import json, os, pathlib, statistics, sys, tempfile, time

from browser import Browser
from process import Call, Load, Reader, Server, others_share, processor_seconds, send, state

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
CALLS, PAIRS = int(os.environ.get("CALLS", 300)), int(os.environ.get("PAIRS", 5))
SECONDS, CONNECTIONS = int(os.environ.get("SECONDS", 4)), int(os.environ.get("CONNECTIONS", 16))
VISIBLE_MS_MAX, COST_MAX = 100, 0.03
MOCK = f"{PROGRAMS}/moot mock --listen 127.0.0.1:{{port}} --rate-limit off --seed 1 --world bench"
JSON = {"Content-Type": "application/json"}

# Records the time of each row: the end of the frame in which it was added.
WATCH = """
window.seen = {};
new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => {
  const now = performance.timeOrigin + performance.now();
  for (const row of document.querySelectorAll('tbody tr')) seen[row.dataset.key] ??= now;
}))).observe(document.querySelector('tbody'), { childList: true });
"""

def started(server):
    server.wait_for(Call("GET", "/__admin/health", {}))
    token = send(server.port, Call("POST", "/__admin/tokens", JSON, b'{"client_id": "bench"}'))[1]
    return Call("GET", "/v1/webhooks", {"Authorization": f"Bearer {json.loads(token)['access_token']}"})

def visible():
    """Milliseconds from the response of each call to its row."""
    with Server(MOCK) as server, Browser() as browser:
        call = started(server)
        browser.open(f"http://127.0.0.1:{server.port}/__admin/console/")
        browser.wait("document.querySelector('#connection')?.dataset.state === 'live' && document.querySelector('tbody')")
        browser.run(WATCH)
        answered = {}
        for number in range(CALLS):
            send(server.port, call)
            answered[number] = time.time() * 1000
            # An irregular pause, so that calls do not fall in step with the timers of the mock.
            time.sleep(0.05 + 0.013 * (number % 7))
        newest = json.loads(send(server.port, Call("GET", "/__admin/exchanges?limit=1", {}))[1])["exchanges"][0]["serial"]
        browser.wait(f"seen[{newest}]")
        seen = browser.run("return seen")
    return [seen[str(newest - CALLS + 1 + number)] - answered[number] for number in range(CALLS)]


# Readers of the mock, with the list that they load besides `/events`. The console loads it when events are lost.
LISTS = {"a reader of `/events`": "", "the console": "/__admin/exchanges?limit=200"}


def throughput(load, reader):
    """Calls per second, and the processor time of the mock per call."""
    with Server(MOCK) as server:
        call = started(server)
        reader = Reader(server.port, "/__admin/events", LISTS[reader]) if reader else None
        before = processor_seconds(server)
        ran = load.run(server.port, CONNECTIONS, SECONDS, call)
        spent = processor_seconds(server) - before
        if reader:
            reader.end()
    return ran["rate"], spent / ran["calls"] * 1e6


def main():
    print(f"Other programs took {others_share():.0%} of the machine just before.\n")
    print("| figure | measured | limit |\n|---|---|---|")
    times = sorted(visible())
    median, late = statistics.median(times), times[int(len(times) * 0.99)]
    print(f"| a row is visible after its call, median of {CALLS} | {median:.0f} ms | – |")
    print(f"| the same, 99th percentile | {late:.0f} ms | {VISIBLE_MS_MAX} ms: {state(late <= VISIBLE_MS_MAX)} |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        load = Load(PROGRAMS, pathlib.Path(folder))
        rounds = [{reader: throughput(load, reader) for reader in [None, *LISTS]} for _ in range(PAIRS)]
    alone = statistics.median(one[None][0] for one in rounds)
    for reader in LISTS:
        rate, work = (statistics.median(one[reader][at] / one[None][at] for one in rounds) for at in (0, 1))
        print(f"| calls per second with {reader}, beside none ({alone:,.0f}) | {rate:.3f} | "
              f"{1 - COST_MAX}: {state(rate >= 1 - COST_MAX)} |")
        print(f"| processor time per call with {reader}, beside none | {work:.3f} | "
              f"{1 + COST_MAX}: {state(work <= 1 + COST_MAX)} |")


main()
