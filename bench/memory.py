#!/usr/bin/env python3
"""Memory of the mock after a million calls of the API, 10,000 of the control plane, and hostile calls between them.
Called by bench/run with the folder of the built programs. From the environment: CALLS=1000000, ADMIN_CALLS=10000,
CONNECTIONS=8."""
import json, os, pathlib, socket, struct, sys

from process import FORM, TOKEN_CALL, Call, Server, memory_mib, send, state

PROGRAMS = pathlib.Path(sys.argv[1])
CALLS = int(os.environ.get("CALLS", 1_000_000))
ADMIN_CALLS = int(os.environ.get("ADMIN_CALLS", 10_000))
CONNECTIONS = int(os.environ.get("CONNECTIONS", 8))
USED_MIB_MAX = 64
# Number of calls that are sent before their responses are read.
BATCH = 50


def wire(line, bearer="", body=b"", kind="application/json", extra=""):
    head = f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n{extra}"
    if bearer:
        head += f"Authorization: Bearer {bearer}\r\n"
    if body:
        head += f"Content-Type: {kind}\r\n"
    return f"{head}\r\n".encode() + body


class Connection:
    def __init__(self, port):
        self.port, self.at, self.rest = port, socket.create_connection(("127.0.0.1", port), 60), b""

    def responses(self, count):
        """Reads this number of responses; returns their bodies."""
        bodies = []
        for _ in range(count):
            while b"\r\n\r\n" not in self.rest:
                self.more()
            head, self.rest = self.rest.split(b"\r\n\r\n", 1)
            length = next((int(row.split(b":")[1]) for row in head.lower().split(b"\r\n")
                           if row.startswith(b"content-length:")), 0)
            while len(self.rest) < length:
                self.more()
            bodies.append(self.rest[:length])
            self.rest = self.rest[length:]
        return bodies

    def more(self):
        read = self.at.recv(1 << 18)
        if not read:
            raise ConnectionError("the mock closed the connection")
        self.rest += read


def hostile(port, bearer):
    """Calls that try to fill the memory of the mock. Each has its own connection, which is then cut."""
    part = b'--b0\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'
    rows = [
        b"\x16\x03\x01" + os.urandom(4_000),
        b"GET /v1/requests HTTP/1.1\r\nHost: x\r\n" + b"X-Much: " + b"a" * 200_000,
        wire("GET /v1/" + "a" * 60_000, bearer),
        wire("POST /v1/requests", bearer, b"--b0\r\n" * 20_000, "multipart/form-data; boundary=b0"),
        wire("POST /oauth/token", "", b"a=" + b"%41" * 100_000, "application/x-www-form-urlencoded"),
        wire("POST /v1/webhooks", bearer, b'{"a":' * 20_000),
        # An incomplete upload: the client leaves before it has sent the announced length.
        wire("POST /v1/repository_documents", bearer, extra="").replace(
            b"Content-Length: 0", b"Content-Length: 90000000\r\nContent-Type: multipart/form-data; boundary=b0")
        + part + b"x" * 500_000,
        wire("GET /v1/requests", "moot_" + "a" * 30_000),
        wire("POST /__admin/sandboxes", "", b"[" * 100_000),
        wire("POST /__admin/faults", "", json.dumps({"kind": "status", "status": 99}).encode()),
    ]
    for row in rows:
        with socket.create_connection(("127.0.0.1", port), 60) as at:
            try:
                at.sendall(row)
                at.settimeout(0.05)
                at.recv(1 << 16)
            except OSError:
                pass
            at.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def main():
    command = f"{PROGRAMS}/moot mock --listen 127.0.0.1:{{port}} --rate-limit observe --seed 1 --world bench"
    with Server(command) as ours:
        ours.wait_for(Call("GET", "/__admin/health", {}))
        idle = memory_mib(ours)
        token_call = TOKEN_CALL
        bearer = json.loads(send(ours.port, token_call)[1])["access_token"]
        first = json.loads(send(ours.port, Call("GET", "/v1/requests", {"Authorization": f"Bearer {bearer}"}))[1])
        one = f"/v1/requests/{first['data'][0]['id']}"
        api = [wire(f"GET {one}", bearer), wire("GET /v1/webhooks", bearer), wire(f"GET {one}"),
               wire("GET /v1/workflows?page=2", bearer), wire(f"GET {one}/activity", bearer),
               wire("POST /oauth/token", "", FORM, "application/x-www-form-urlencoded")]
        open_ = [Connection(ours.port) for _ in range(CONNECTIONS)]
        done = admin = cut = turn = 0
        peak = 0.0
        while done < CALLS or admin < ADMIN_CALLS:
            batch = b"".join(api[(turn + number) % len(api)] for number in range(BATCH))
            for connection in open_:
                connection.at.sendall(batch)
            for connection in open_:
                connection.responses(BATCH)
            done, turn = done + BATCH * CONNECTIONS, turn + 1
            if admin * CALLS <= done * ADMIN_CALLS:
                admin += control(open_[0], turn)
            if turn % 25 == 0:
                hostile(ours.port, bearer)
                cut += 10
                peak = max(peak, memory_mib(ours))
        used = memory_mib(ours)
        print(f"idle {idle:.1f} MiB; after {done:,} calls, {admin:,} of the control plane and {cut:,} hostile ones "
              f"{used:.1f} MiB, at most {peak:.1f} MiB on the way: "
              f"{state(max(used, peak) <= USED_MIB_MAX)} (at most {USED_MIB_MAX} MiB)")


def control(connection, turn):
    """Makes calls of the control plane, as a test suite does; returns their number."""
    lines = [("POST /__admin/sandboxes", b'{"lease_seconds": 5}'), ("GET /__admin/world", b""),
             ("GET /__admin/exchanges?limit=5", b""), ("POST /__admin/clock", b'{"advance_seconds": 1}'),
             ("POST /__admin/faults", b'{"kind": "status", "status": 503, "nth": 1000000000}'),
             ("DELETE /__admin/faults", b""), ("POST /__admin/checkpoints", b'{"name": "stage"}'),
             ("DELETE /__admin/checkpoints/stage", b""), ("GET /__admin/settings", b"")]
    connection.at.sendall(b"".join(wire(line, body=body) for line, body in lines))
    made = json.loads(connection.responses(len(lines))[0])
    connection.at.sendall(wire(f"DELETE /__admin/sandboxes/{made['id']}"))
    connection.responses(1)
    return len(lines) + 1


main()
