"""A client that passes `moot drill`, with `requests` or with `httpx`.

    moot drill --progression on-read:1 -- python3 examples/clients/honest.py requests
    moot drill --progression on-read:1 -- python3 examples/clients/honest.py httpx

It lists legal requests, creates one, waits for its signature, and stores a document. Its logic
is the same with both libraries; only `RequestsTransport` and `HttpxTransport` differ.
"""

import email.utils
import json
import os
import sys
import time

TIMEOUT_SECONDS = 20
TRIES_MAX = 5
# The pause before the first retry. It doubles with each further one.
PAUSE_SECONDS = 0.3
# Added to the time of `Retry-After`, since clocks differ.
RESERVE_SECONDS = 0.1
# A token this close to its end could expire before the call arrives.
RENEW_BEFORE_SECONDS = 60
POLL_SECONDS = 0.1
POLLS_MAX = 30
ENDS = ("signed", "archived", "declined", "canceled", "expired")
USER_AGENT = "honest-py/1.0"

COUNTERPARTY = "Ada Sample"
ORGANIZATION = "Sample Works 7f3a"
FILE_NAME = "sample-7f3a.txt"
FILE = b"Their standard terms.\n"


class Refused(Exception):
    """The service refused a call, and the same call would be refused again."""


class Lost(Exception):
    """No complete response came, or the service failed. The call may have been processed."""


class RequestsTransport:
    def __init__(self):
        import requests

        self.session = requests.Session()
        self.session.headers["User-Agent"] = USER_AGENT
        self.errors = requests.RequestException

    def send(self, method, url, headers, form=None, parts=None):
        # A redirect would take the call, and the token, to another host.
        return self.session.request(
            method, url, headers=headers, data=form, files=parts,
            timeout=TIMEOUT_SECONDS, allow_redirects=False,
        )


class HttpxTransport:
    def __init__(self):
        import httpx

        self.client = httpx.Client(headers={"User-Agent": USER_AGENT}, timeout=TIMEOUT_SECONDS)
        self.errors = httpx.HTTPError

    def send(self, method, url, headers, form=None, parts=None):
        return self.client.request(method, url, headers=headers, data=form, files=parts)


class Client:
    def __init__(self, transport):
        self.transport = transport
        self.base_url = os.environ["MOOT_BASE_URL"]
        self.token = None
        self.renew_at = 0.0

    def once(self, method, path, headers, **content):
        """One call: its status, its headers, and its JSON."""
        try:
            response = self.transport.send(method, self.base_url + path, headers, **content)
        except self.transport.errors as error:
            raise Lost(str(error)) from error
        # The class of the status decides, so that unknown statuses are handled too.
        if response.status_code >= 500:
            raise Lost(f"{method} {path}: {response.status_code}")
        try:
            body = response.json() if response.content else {}
        except ValueError as error:
            if response.status_code < 300:
                raise Lost(f"{method} {path}: the response is not JSON") from error
            body = {}
        if response.status_code < 300 and method == "GET" and not body:
            raise Lost(f"{method} {path}: an empty response")
        return response.status_code, response.headers, body

    def access_token(self):
        if self.token is None or time.monotonic() >= self.renew_at:
            form = {
                "grant_type": "client_credentials",
                "scope": "read write",
                "client_id": os.environ["MOOT_CLIENT_ID"],
                "client_secret": os.environ["MOOT_CLIENT_SECRET"],
            }
            issued = self.repeated(lambda: self.patiently("POST", "/oauth/token", {}, form=form))
            self.token = issued["access_token"]
            self.renew_at = time.monotonic() + issued["expires_in"] - RENEW_BEFORE_SECONDS
        return self.token

    def patiently(self, method, path, headers, **content):
        """One call. Beyond the rate limit it waits, and sends the call again."""
        for attempt in range(1, TRIES_MAX + 1):
            status, answered, body = self.once(method, path, headers, **content)
            if status == 429:
                pause(attempt, answered.get("Retry-After"))
                continue
            if status >= 300:
                kind = body.get("type") or body.get("error") or "no problem body"
                raise Refused(f"{method} {path}: {status} {kind}", status)
            return body
        raise Refused(f"{method} {path}: 429 {TRIES_MAX} times", 429)

    def call(self, method, path, **content):
        """One call with a token. A token that expired early is renewed once."""
        for is_last in (False, True):
            headers = {"Authorization": f"Bearer {self.access_token()}"}
            try:
                return self.patiently(method, path, headers, **content)
            except Refused as refused:
                if refused.args[1] != 401 or is_last:
                    raise
                self.token = None

    def repeated(self, call):
        """A call that can be repeated without harm."""
        for attempt in range(1, TRIES_MAX + 1):
            try:
                return call()
            except Lost:
                if attempt == TRIES_MAX:
                    raise
                pause(attempt)

    def get(self, path):
        return self.repeated(lambda: self.call("GET", path))

    def every(self, path):
        page, total_pages = 1, 1
        while page <= total_pages:
            response = self.get(f"{path}?page={page}")
            total_pages = response["pagination"]["total_pages"]
            yield from response["data"]
            page += 1

    def found(self, path, text):
        """The row whose name has this text."""
        rows = self.every(path)
        return next((row for row in rows if text in row["attributes"]["name"]), None)

    def created(self, path, mark, content):
        """Creates an object. If the response is lost, it looks for the object before it creates another one."""
        for attempt in range(1, TRIES_MAX + 1):
            try:
                return self.call("POST", path, **content())["data"]
            except Lost:
                row = self.found(path, mark)
                if row:
                    return row
                pause(attempt)
            except Refused as refused:
                # The schema may have changed since it was read.
                if refused.args[1] != 422 or attempt > 1:
                    raise
        raise Lost(f"POST {path}: no response after {TRIES_MAX} tries")

    def create_request(self):
        workflow = os.environ["MOOT_GENERATED_WORKFLOW_ID"]

        def content():
            schema = self.get(f"/v1/workflows/{workflow}/schema")
            options = schema["fields_properties"]["internal_signer_email"]["properties"]["options"]
            values = {
                "workflow_id": workflow,
                "requester_email": os.environ["MOOT_REQUESTER_EMAIL"],
                "counterparty_name": COUNTERPARTY,
                "counterparty_email": "ada@sample.invalid",
                "counterparty_organization_name": ORGANIZATION,
                "internal_signer_email": options[0],
                "variables": json.dumps({"purpose": "talks", "duration": 1, "duration_unit": "years"}),
            }
            # Fields as parts, so that the body is multipart without a file.
            return {"parts": [(name, (None, value)) for name, value in values.items()]}

        return self.created("/v1/requests", ORGANIZATION, content)["id"]

    def wait_for_the_end(self, request_id):
        for _ in range(POLLS_MAX):
            seen = self.get(f"/v1/requests/{request_id}")["data"]["attributes"]["status"]
            if seen in ENDS:
                break
            time.sleep(POLL_SECONDS)
        return seen

    def upload(self):
        metadata = json.dumps({"origin": "honest.py"})

        def content():
            # The file is a value: a stream would be empty in a second try.
            file = ("file", (FILE_NAME, FILE, "text/plain"))
            return {"parts": [file, ("metadata", (None, metadata))]}

        return self.created("/v1/repository_documents", FILE_NAME, content)


def pause(attempt, retry_after=None):
    seconds = retry_after_seconds(retry_after)
    if seconds is None:
        time.sleep(PAUSE_SECONDS * 2 ** (attempt - 1))
    else:
        time.sleep(seconds + RESERVE_SECONDS)


def retry_after_seconds(retry_after):
    """The time of `Retry-After`, which is a number of seconds or a date."""
    if retry_after is None:
        return None
    if retry_after.strip().isdigit():
        return int(retry_after)
    try:
        until = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, until.timestamp() - time.time())


def main(library):
    transports = {"requests": RequestsTransport, "httpx": HttpxTransport}
    client = Client(transports[library]())
    print(f"{len(list(client.every('/v1/requests')))} legal requests")
    request_id = client.create_request()
    print(f"created, and now {client.wait_for_the_end(request_id)}")
    client.upload()
    print("uploaded")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "requests")
    except (Refused, Lost) as error:
        sys.exit(str(error.args[0]))
