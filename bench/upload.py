#!/usr/bin/env python3
"""Time and memory of an upload of 100 MB to the mock, and to bare hyper that writes the same bytes to a file, in pairs.
Called by bench/run with the folder of the built programs. From the environment: PAIRS=5, MEGABYTES=100, COMMAND (of the
mock, with {port} in it)."""
import json, os, pathlib, re, socket, statistics, sys, tempfile, time

from process import TOKEN_CALL, Call, Server, memory_mib, others_share, processor_seconds, send

PROGRAMS = pathlib.Path(sys.argv[1])
PAIRS = int(os.environ.get("PAIRS", 5))
BYTES = int(os.environ.get("MEGABYTES", 100)) * 1_000_000
COMMAND = os.environ.get("COMMAND", f"{PROGRAMS}/moot mock --listen 127.0.0.1:{{port}} --rate-limit observe --seed 1 --world bench")
HEAD = b'--b0\r\nContent-Disposition: form-data; name="file"; filename="large.pdf"\r\nContent-Type: application/pdf\r\n\r\n'
END = b"\r\n--b0--\r\n"
PIECE = os.urandom(1_000_000)


def upload(server, path, token):
    """Sends a document; returns the seconds until the response, and the processor seconds of the server."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}", "Connection: close",
             "Content-Type: multipart/form-data; boundary=b0", f"Content-Length: {len(HEAD) + BYTES + len(END)}"]
    worked, begun = processor_seconds(server), time.perf_counter()
    with socket.create_connection(("127.0.0.1", server.port)) as stream:
        stream.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + HEAD)
        for _ in range(BYTES // len(PIECE)):
            stream.sendall(PIECE)
        stream.sendall(END)
        response = stream.makefile("rb").read()
    taken = time.perf_counter() - begun
    assert response.startswith(b"HTTP/1.1 201"), response[:500]
    return taken, processor_seconds(server) - worked


def memory_max_mib(server):
    status = open(f"/proc/{server.process.pid}/status").read()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("list", "one", "token", "create"):
            pathlib.Path(folder, f"{name}.json").write_bytes(b"{}")
        with Server(COMMAND) as ours, Server(f"{PROGRAMS}/examples/bare_hyper {{port}} {folder}") as hyper:
            ours.wait_for(TOKEN_CALL)
            hyper.wait_for(TOKEN_CALL)
            token = json.loads(send(ours.port, TOKEN_CALL)[1])["access_token"]
            before = {server: memory_mib(server) for server in (ours, hyper)}
            rows = []
            for number in range(PAIRS):
                sides = [(ours, "/v1/repository_documents"), (hyper, "/upload")]
                seen = {server: upload(server, path, token) for server, path in (sides if number % 2 == 0 else reversed(sides))}
                rows.append((seen[ours], seen[hyper]))
            more = {server: memory_max_mib(server) - before[server] for server in before}
    middle = lambda of: statistics.median(of(ours, hyper) for ours, hyper in rows)
    print(f"{PAIRS} pairs; other programs took {others_share():.0%} of the machine just after.\n")
    print("| upload of | ours | hyper to a file | ratio | by processor time | wanted | more memory, ours | hyper | wanted |")
    print("|---|---|---|---|---|---|---|---|---|")
    print(f"| {BYTES / 1e6:.0f} MB | {middle(lambda ours, _: ours[0]):.2f} s | {middle(lambda _, hyper: hyper[0]):.2f} s "
          f"| {middle(lambda ours, hyper: hyper[0] / ours[0]):.2f} | {middle(lambda ours, hyper: hyper[1] / ours[1]):.2f} "
          f"| 0.50 | {more[ours]:.1f} MiB | {more[hyper]:.1f} MiB | 16 MiB |")


main()
