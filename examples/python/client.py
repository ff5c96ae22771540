"""A small client of the Legal Request Service that behaves well.

    moot exec --progression on-read:1 -- python3 examples/python/client.py

It keeps its token and renews it, waits as long as `Retry-After` says, reads every page of a list,
builds a request from the workflow's schema, and waits for it to be signed. It needs `requests`.
"""

import json
import os
import sys
import time

import requests

TIMEOUT_SECONDS = 30
# A token this close to its end could expire before the call arrives.
RENEW_BEFORE_SECONDS = 60
RETRIES_MAX = 3
POLL_SECONDS = 0.1
POLLS_MAX = 100

# The counterparty. Everything else comes from the schema.
VALUES = {
    "requester_email": os.environ["MOOT_REQUESTER_EMAIL"],
    "counterparty_name": "Granite Works Kft",
    "counterparty_organization_name": "Granite Works Kft",
    "counterparty_email": "signer@granite.invalid",
    "counterparty_signer_name": "Sam Signer",
    "counterparty_signer_email": "signer@granite.invalid",
}
VARIABLE_VALUES = {"string": "As agreed", "number": 12, "boolean": True, "date": "2026-01-31"}
PAPER = ("terms.txt", b"Their standard terms.\n", "text/plain")


class ServiceError(Exception):
    """A problem that the service reported (section 7)."""

    def __init__(self, response):
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        kind = problem.get("type") or problem.get("error") or "no problem body"
        detail = problem.get("detail") or problem.get("error_description") or ""
        super().__init__(f"{response.status_code} {kind}: {detail}")
        self.kind = kind


class Client:
    def __init__(self, base_url, client_id, client_secret):
        self.base_url = base_url
        self.credentials = {"client_id": client_id, "client_secret": client_secret}
        self.session = requests.Session()
        self.token = None
        self.renew_at = 0.0

    def access_token(self):
        if self.token is None or time.monotonic() >= self.renew_at:
            form = {"grant_type": "client_credentials", "scope": "read write", **self.credentials}
            issued = self.send("POST", "/oauth/token", data=form).json()
            self.token = issued["access_token"]
            self.renew_at = time.monotonic() + issued["expires_in"] - RENEW_BEFORE_SECONDS
        return self.token

    def call(self, method, path, **options):
        """One call with a token. A token that expired early is renewed once."""
        try:
            return self.send(method, path, headers=self.authorization(), **options)
        except ServiceError as error:
            if error.kind not in ("token_expired", "token_revoked"):
                raise
        self.token = None
        return self.send(method, path, headers=self.authorization(), **options)

    def authorization(self):
        return {"Authorization": f"Bearer {self.access_token()}"}

    def send(self, method, path, **options):
        """Sends a call. Beyond the rate limit it waits for `Retry-After`, and sends the call again."""
        for attempt in range(RETRIES_MAX + 1):
            response = self.session.request(
                method, self.base_url + path, timeout=TIMEOUT_SECONDS, **options
            )
            if response.status_code != 429 or attempt == RETRIES_MAX:
                break
            time.sleep(int(response.headers.get("Retry-After", "60")))
        if not response.ok:
            raise ServiceError(response)
        return response

    def every(self, path, **parameters):
        """Every member of a list, page after page."""
        page, total_pages = 1, 1
        while page <= total_pages:
            response = self.call("GET", path, params={**parameters, "page": page}).json()
            total_pages = response["pagination"]["total_pages"]
            yield from response["data"]
            page += 1

    def create(self, workflow_id):
        """Creates a request with every field that the schema of its workflow requires."""
        schema = self.call("GET", f"/v1/workflows/{workflow_id}/schema").json()
        fields, files = [("workflow_id", workflow_id)], []
        for name in schema["required_fields"]:
            options = schema["fields_properties"].get(name, {}).get("properties", {}).get("options")
            if name == "file":
                files.append((name, PAPER))
            elif name == "variables":
                fields.append((name, json.dumps(variables(schema))))
            elif name == "internal_signer_emails[]":
                fields.extend((name, email) for email in options)
            elif name != "workflow_id":
                fields.append((name, options[0] if options else VALUES[name]))
        # Fields as parts too, so that the body is multipart even without a file.
        parts = [(name, (None, value)) for name, value in fields]
        return self.call("POST", "/v1/requests", files=parts + files).json()["data"]

    def wait_for(self, request_id, status):
        """Reads the request until it has this status."""
        for _ in range(POLLS_MAX):
            seen = self.call("GET", f"/v1/requests/{request_id}").json()["data"]["attributes"]["status"]
            if seen == status:
                return seen
            time.sleep(POLL_SECONDS)
        raise TimeoutError(f"{request_id} is {seen}, not {status}")


def variables(schema):
    values = {}
    for name in schema["required_variables"]:
        properties = schema["variables_properties"][name]["properties"]
        options = properties.get("options")
        values[name] = options[0] if options else VARIABLE_VALUES[properties["type"]]
    return values


def main():
    client = Client(
        os.environ["MOOT_BASE_URL"], os.environ["MOOT_CLIENT_ID"], os.environ["MOOT_CLIENT_SECRET"]
    )
    requests_before = list(client.every("/v1/requests"))
    print(f"{len(requests_before)} requests")
    for name in ("MOOT_GENERATED_WORKFLOW_ID", "MOOT_THIRD_PARTY_WORKFLOW_ID"):
        created = client.create(os.environ[name])
        print(f"created: {created['attributes']['name']}, {created['attributes']['status']}")
        print(f"now: {client.wait_for(created['id'], 'signed')}")


if __name__ == "__main__":
    try:
        main()
    except (ServiceError, TimeoutError) as error:
        sys.exit(str(error))
