"""Measures the defaults of HTTP libraries, and prints them as a Markdown table.

    cargo build -p moot-harness --example reqwest_defaults
    python3 examples/http-libraries/measure.py target/debug/examples/reqwest_defaults

Needs curl, Node, and Python with `requests` and `httpx`. Missing ones are left out. All calls go
over loopback to the server in this file, which counts them.
"""

import collections
import http.server
import select
import shutil
import socketserver
import subprocess
import sys
import threading
import time

# Time limit for a client that waits for a response that never comes.
PATIENCE_SECONDS = 15

PYTHON = """
import sys
import {library} as library
action, url = sys.argv[1:]
headers = {{"Authorization": "Bearer secret"}}
if action == "get":
    library.get(url, headers=headers)
elif action == "post":
    library.post(url, headers=headers, data={{"a": "b"}})
elif action == "three":
    for _ in range(3):
        library.get(url, headers=headers)
else:
    with library.{session}() as session:
        for _ in range(2 if action == "again" else 3):
            (session.post if action == "again" else session.get)(url, headers=headers)
"""
NODE = """
const [action, url] = process.argv.slice(1);
const headers = { Authorization: 'Bearer secret' };
const options = ['post', 'again'].includes(action)
  ? { method: 'POST', headers, body: new URLSearchParams({ a: 'b' }) } : { headers };
const times = { get: 1, post: 1, again: 2 }[action] ?? 3;
for (let time = 0; time < times; time += 1) await (await fetch(url, options)).text();
"""


def curl(action, url):
    words = ["curl", "-sS", "-H", "Authorization: Bearer secret"]
    words += ["-d", "a=b"] if action in ("post", "again") else []
    return words + [url] * {"get": 1, "post": 1, "again": 2}.get(action, 3)


def clients(reqwest):
    """The command line of each library, by name and version."""
    found = {}
    if reqwest:
        found[f"reqwest {output([reqwest, 'version'])}"] = lambda *words: [reqwest, *words]
    for library, session in (("requests", "Session"), ("httpx", "Client")):
        version = output([sys.executable, "-c", f"import {library}; print({library}.__version__)"])
        if version:
            code = PYTHON.format(library=library, session=session)
            found[f"{library} {version}"] = lambda *words, code=code: [sys.executable, "-c", code, *words]
    if shutil.which("node"):
        name = f"fetch of Node {output(['node', '--version']).lstrip('v')}"
        found[name] = lambda *words: ["node", "--input-type=module", "-e", NODE, *words]
    if shutil.which("curl"):
        found[f"curl {output(['curl', '--version']).split()[1]}"] = curl
    return found


def output(words):
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    return ran.stdout.strip() if ran.returncode == 0 else ""


Call = collections.namedtuple("Call", "method path connection agent authorization length port")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle(self):
        self.number = self.server.connections = self.server.connections + 1
        self.served = 0
        super().handle()

    def do_GET(self):
        length = int(self.headers.get("Content-Length", 0))
        self.rfile.read(length)
        agent, authorization = self.headers.get("User-Agent"), self.headers.get("Authorization")
        self.served += 1
        self.server.calls.append(
            Call(self.command, self.path, self.number, agent, authorization, length, self.server.server_port)
        )
        _, kind, *rest = self.path.split("/", 2)
        if kind == "hang":
            began = time.monotonic()
            if select.select([self.connection], [], [], PATIENCE_SECONDS)[0]:
                self.server.left_after = time.monotonic() - began
        if kind in ("hang", "close") or (kind == "second" and self.served > 1):
            # No response: the connection is closed.
            self.close_connection = True
            return
        status = int(kind) if kind.isdigit() else 200
        self.send_response(status)
        if status in (302, 307):
            self.send_header("Location", "http://" + rest[0])
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.calls, self.connections, self.left_after = [], 0, None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Ignores errors: a client may close its connection."""


def calls(command, action, path, host="127.0.0.1"):
    """The calls to the server and to the other host, and the time at which the client gave up a call without a response."""
    server, other = Server(), Server()
    path = path.replace("OTHER", f"{host}:{other.server_port}")
    words = command(action, f"http://127.0.0.1:{server.server_port}{path}")
    try:
        subprocess.run(words, capture_output=True, timeout=PATIENCE_SECONDS + 2, check=False)
    except subprocess.TimeoutExpired:
        pass
    for one in (server, other):
        one.shutdown()
        one.server_close()
    return server.calls, other.calls, server.left_after


def redirected(command, action, path, host):
    _, came, _ = calls(command, action, path, host)
    if not came:
        return "not followed"
    token = "with" if came[0].authorization else "without"
    body = f", {came[0].method} {'with' if came[0].length else 'without'} the body" if action == "post" else ""
    return f"followed, {token} the token{body}"


def times(number):
    return "once" if number == 1 else f"{number} times"


def timeout(command):
    _, _, left_after = calls(command, "get", "/hang")
    return f"none in {PATIENCE_SECONDS} s" if left_after is None else f"after {round(left_after)} s"


def connections(command, action):
    came, _, _ = calls(command, action, "/ok")
    return str(len({call.connection for call in came}))


ROWS = {
    "`User-Agent`": lambda c: f"`{calls(c, 'get', '/ok')[0][0].agent}`",
    "302 to another port": lambda c: redirected(c, "get", "/302/OTHER/ok", "127.0.0.1"),
    "302 to another host": lambda c: redirected(c, "get", "/302/OTHER/ok", "localhost"),
    "302 after a POST": lambda c: redirected(c, "post", "/302/OTHER/ok", "127.0.0.1"),
    "307 after a POST": lambda c: redirected(c, "post", "/307/OTHER/ok", "127.0.0.1"),
    "503 to a GET: sent": lambda c: times(len(calls(c, "get", "/503")[0])),
    "429 to a GET: sent": lambda c: times(len(calls(c, "get", "/429")[0])),
    "connection closed after a GET: sent": lambda c: times(len(calls(c, "get", "/close")[0])),
    "connection closed after a POST: sent": lambda c: times(len(calls(c, "post", "/close")[0])),
    "connection closed after its second POST: sent": lambda c: times(len(calls(c, "again", "/second")[0]) - 1),
    "timeout of a response that never comes": timeout,
    "connections of three calls, plain": lambda c: connections(c, "three"),
    "connections of three calls, with a session": lambda c: connections(c, "session"),
}


def main():
    found = clients(sys.argv[1] if len(sys.argv) > 1 else None)
    print("| | " + " | ".join(found) + " |")
    print("|---" * (len(found) + 1) + "|")
    for name, measure in ROWS.items():
        print(f"| {name} | " + " | ".join(measure(command) for command in found.values()) + " |")


if __name__ == "__main__":
    main()
