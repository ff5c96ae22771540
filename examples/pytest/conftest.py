"""A sandbox of the mock for each test, with its own data, credentials, clock and limits."""

import json
import os
import urllib.parse
import urllib.request

import pytest


def call(method, url, body=None, headers=None):
    """Sends JSON, and returns the JSON of the response, or None if it has no body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers or {})
    if data is not None:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as response:
        text = response.read()
    return json.loads(text) if text else None


class Sandbox:
    """A sandbox of the mock that `moot exec` started."""

    def __init__(self):
        self.admin = os.environ["MOOT_ADMIN_URL"]
        self.headers = {}
        if "MOOT_ADMIN_TOKEN" in os.environ:
            self.headers["Authorization"] = "Bearer " + os.environ["MOOT_ADMIN_TOKEN"]
        made = call("POST", self.admin + "/sandboxes", {"clock": "frozen"}, self.headers)
        self.id, self.base_url, self.control = made["id"], made["base_url"], made["admin_url"]
        self.client = made["applications"][0]

    def token(self):
        """A token for reading and writing."""
        form = {"grant_type": "client_credentials", "scope": "read write"}
        form |= {key: self.client[key] for key in ("client_id", "client_secret")}
        data = urllib.parse.urlencode(form).encode()
        with urllib.request.urlopen(self.base_url + "/oauth/token", data, timeout=30) as response:
            return json.load(response)["access_token"]

    def advance(self, seconds):
        """Moves the clock of this sandbox alone."""
        return call("POST", self.control + "/clock", {"advance_seconds": seconds}, self.headers)

    def end(self):
        call("DELETE", f"{self.admin}/sandboxes/{self.id}", headers=self.headers)


@pytest.fixture
def sandbox():
    made = Sandbox()
    yield made
    made.end()
