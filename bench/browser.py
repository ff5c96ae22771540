"""Headless Chromium, controlled by the WebDriver protocol of chromedriver."""
import json, re, subprocess, tempfile, time, urllib.request

WAIT_SECONDS_MAX = 30
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]


class Browser:
    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = next(line for line in self.driver.stdout if "started successfully on port" in line)
        port = re.search(r"port (\d+)", line)[1]
        self.address = f"http://127.0.0.1:{port}/session"
        options = {"args": [*ARGUMENTS, f"--user-data-dir={self.profile.name}"]}
        made = self.send("POST", "", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self.address += f"/{made['sessionId']}"
        return self

    def __exit__(self, *_):
        try:
            self.send("DELETE", "")
        finally:
            self.driver.kill()
            self.driver.wait()
            self.profile.cleanup()

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["value"]

    def open(self, address):
        self.send("POST", "/url", {"url": address})

    def run(self, script):
        return self.send("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, expression):
        until = time.monotonic() + WAIT_SECONDS_MAX
        while not self.run(f"return Boolean({expression})"):
            if time.monotonic() > until:
                raise SystemExit(f"it never holds: {expression}")
            time.sleep(0.02)
