"""Servers and loads as separate processes: the server on one core, the load on another."""
import dataclasses, http.client, json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, time

SERVER_CPU, LOAD_CPU = os.environ.get("SERVER_CPU", "0"), os.environ.get("LOAD_CPU", "1")
READY_SECONDS_MAX = 30


@dataclasses.dataclass
class Call:
    method: str
    path: str
    headers: dict
    body: bytes = b""


FORM = b"grant_type=client_credentials&client_id=bench&client_secret=bench-secret&scope=read+write"
TOKEN_CALL = Call("POST", "/oauth/token", {"Content-Type": "application/x-www-form-urlencoded"}, FORM)


def state(is_met):
    return "met" if is_met else "**not met**"


def send(port, call):
    """Sends a call; returns status and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(call.method, call.path, call.body or None, call.headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def pinned(command, cpu):
    is_possible = shutil.which("taskset") and (os.cpu_count() or 1) > 1
    return ["taskset", "-c", cpu, *command] if is_possible else command


def free_port():
    with socket.socket() as at:
        at.bind(("127.0.0.1", 0))
        return at.getsockname()[1]


class Server:
    """A server that runs inside a `with` block, on a free port that replaces `{port}` in its command."""

    def __init__(self, command, pause=0.02):
        self.port, self.pause = free_port(), pause
        self.command = pinned(command.replace("{port}", str(self.port)).split(), SERVER_CPU)

    def __enter__(self):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def wait_for(self, call):
        until = time.monotonic() + READY_SECONDS_MAX
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if send(self.port, call)[0] < 300:
                    return
            except OSError:
                pass
            time.sleep(self.pause)
        self.log.seek(0)
        raise SystemExit(f"{' '.join(self.command)} does not answer:\n{self.log.read().decode(errors='replace')}")


class Reader:
    """Reads an endless response in a process on the core of the load. With `list_path` it also loads that list again and
    again, as the console does after it lost events."""

    def __init__(self, port, path, list_path=""):
        script = ("import http.client, socket, sys, threading, time\n"
                  "def load():\n"
                  "    while sys.argv[3]:\n"
                  "        time.sleep(3)\n"
                  "        at = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))\n"
                  "        at.request('GET', sys.argv[3])\n"
                  "        at.getresponse().read()\n"
                  "        at.close()\n"
                  "threading.Thread(target=load, daemon=True).start()\n"
                  "at = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
                  "at.sendall(f'GET {sys.argv[2]} HTTP/1.1\\r\\nHost: 127.0.0.1:{sys.argv[1]}\\r\\n\\r\\n'.encode())\n"
                  "print(at.recv(1 << 16)[:15], flush=True)\n"
                  "while at.recv(1 << 20): pass\n")
        command = pinned([sys.executable, "-c", script, str(port), path, list_path], LOAD_CPU)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if "200" not in self.process.stdout.readline():
            raise SystemExit(f"{path} is not answered")

    def end(self):
        self.process.kill()
        self.process.wait()


def memory_mib(server):
    """Resident memory, a second after the last load."""
    time.sleep(1)
    status = open(f"/proc/{server.process.pid}/status").read()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def processor_seconds(server):
    """Processor time of a server's threads. Other programs change it little."""
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def busy_seconds():
    user, nice, system = open("/proc/stat").readline().split()[1:4]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def others_share():
    """The share of the machine that other programs use."""
    before = busy_seconds()
    time.sleep(1)
    return (busy_seconds() - before) / (os.cpu_count() or 1)


class Load:
    """A load generator: wrk if it is installed, else our own."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.name = "wrk" if shutil.which("wrk") else "examples/load"

    def run(self, port, connections, seconds, call):
        """Returns `{calls, rate, p99_ms, bad}`."""
        if self.name == "wrk":
            return self.wrk(port, connections, seconds, call)
        lines = [f"{call.method} {call.path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
        headers = {**call.headers, **({"Content-Length": str(len(call.body))} if call.body else {})}
        lines += [f"{name}: {value}" for name, value in headers.items()]
        file = self.folder / "request"
        file.write_bytes("\r\n".join(lines).encode() + b"\r\n\r\n" + call.body)
        command = [f"{self.programs}/examples/load", str(port), str(connections), str(seconds), str(file)]
        seen = json.loads(subprocess.run(pinned(command, LOAD_CPU), check=True, capture_output=True).stdout)
        return {"calls": seen["calls"], "rate": seen["calls_per_second"], "p99_ms": seen["p99_ms"], "bad": seen["bad"]}

    def wrk(self, port, connections, seconds, call):
        script = self.folder / "call.lua"
        headers = "".join(f'wrk.headers["{name}"] = "{value}"\n' for name, value in call.headers.items())
        body = f"wrk.body = {lua(call.body)}\n" if call.body else ""
        script.write_text(f'wrk.method = "{call.method}"\n{headers}{body}')
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script),
                   f"http://127.0.0.1:{port}{call.path}"]
        out = subprocess.run(pinned(command, LOAD_CPU), check=True, capture_output=True, text=True).stdout
        amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
        return {
            "calls": int(re.search(r"(\d+) requests in", out)[1]),
            "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]),
            "p99_ms": float(amount) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit],
            "bad": int(bad[1]) if bad else 0,
        }


def lua(body):
    return '"' + "".join(f"\\{byte:03d}" for byte in body) + '"'
