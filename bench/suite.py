"""Scenario files with a given number of checks: ten kinds of calls in turn, ten calls per scenario."""
import json, pathlib

CALLS_PER_SCENARIO, SCENARIOS_PER_FILE = 10, 10
FORM = "grant_type: client_credentials, client_id: <target.main.client_id>, " \
       "client_secret: <target.main.client_secret>, scope: read write"
HURL_FORM = {"grant_type": "client_credentials", "client_id": "bench", "client_secret": "bench-secret", "scope": "read write"}


def kinds(first_id):
    """The kinds of calls: request, further keys, requirement, status, place and value."""
    return [
        ("POST /oauth/token", [f"form: {{ {FORM} }}"], "token.type-bearer", 200, "/token_type", "Bearer"),
        ("GET /v1/requests", ["token: read"], "pagination.page-default-1", 200, "/pagination/current_page", 1),
        ("GET /v1/requests", ["token: read", "query: { page: 2 }"], "pagination.current-page", 200,
         "/pagination/current_page", 2),
        ("GET /v1/requests", ["token: read", "query: { status: draft }"], "list-legal-requests.filter-does-not-leak", 200,
         "/data/0/attributes/status", "draft"),
        (f"GET /v1/requests/{first_id}", ["token: read"], "get-legal-request.returns-the-asked", 200, "/data/id", first_id),
        ("GET /v1/requests/nope", ["token: read"], "get-legal-request.unknown-404", 404, "/type", "request_not_found"),
        ("GET /v1/requests", [], "authentication.missing-401", 401, "/type", "invalid_token"),
        ("GET /v1/requests", ["headers: { Authorization: Bearer bad }"], "authentication.invalid-401", 401, "/type",
         "invalid_token"),
        ("GET /v1/workflows", ["token: read"], "workflow.type", 200, "/data/0/type", "workflow"),
        ("GET /v1/webhooks", ["token: read"], "webhook.type", 200, "/data/0/type", "webhook"),
    ]


def scenario(number, calls):
    lines = [f"  - id: calls-{number:05}", "    title: Ten kinds of calls in turn", "    needs: [read]", "    steps:"]
    for request, keys, requirement, status, place, value in calls:
        lines += [f"      - request: {request}", *(f"        {key}" for key in keys), "        expect:",
                  f'          {requirement}: {{ status: {status}, {place}: "{value}" }}'
                  if isinstance(value, str) else f"          {requirement}: {{ status: {status}, {place}: {value} }}"]
    return "\n".join(lines)


def hurl(base_url, calls):
    """The same calls for Hurl, after a token request."""
    form = "".join(f"{name}: {value}\n" for name, value in HURL_FORM.items())
    lines = [f"POST {base_url}/oauth/token\n[Form]\n{form}HTTP 200\n[Captures]\ntok: jsonpath \"$.access_token\"\n"]
    for request, keys, _, status, place, value in calls:
        method, path = request.split(" ")
        more = "".join({
            "token: read": "Authorization: Bearer {{tok}}\n",
            "headers: { Authorization: Bearer bad }": "Authorization: Bearer bad\n",
            "query: { page: 2 }": "[Query]\npage: 2\n",
            "query: { status: draft }": "[Query]\nstatus: draft\n",
        }.get(key, f"[Form]\n{form}") for key in keys)
        at = "$" + "".join(f"[{name}]" if name.isdigit() else f".{name}" for name in place.split("/")[1:])
        lines.append(f"{method} {base_url}{path}\n{more}HTTP {status}\n[Asserts]\njsonpath \"{at}\" == {json.dumps(value)}\n")
    return "\n".join(lines)


def write_hurl(folder, checks, first_id, base_url):
    """Writes files of ten calls into a new folder, and one file of all calls beside it."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    calls = calls_of(checks, first_id)
    for at in range(0, checks, CALLS_PER_SCENARIO):
        text = hurl(base_url, calls[at:at + CALLS_PER_SCENARIO])
        (folder / f"{at // CALLS_PER_SCENARIO:05}.hurl").write_text(text)
    one = folder.with_suffix(".hurl")
    one.write_text(hurl(base_url, calls))
    return one


def calls_of(checks, first_id):
    known = kinds(first_id)
    return [known[number % len(known)] for number in range(checks)]


def write(folder, checks, first_id):
    """Writes the files into a new folder."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    calls = calls_of(checks, first_id)
    scenarios = [scenario(at // CALLS_PER_SCENARIO, calls[at:at + CALLS_PER_SCENARIO])
                 for at in range(0, checks, CALLS_PER_SCENARIO)]
    for at in range(0, len(scenarios), SCENARIOS_PER_FILE):
        text = 'section: "4"\ntitle: Many calls\nscenarios:\n' + "\n".join(scenarios[at:at + SCENARIOS_PER_FILE]) + "\n"
        (folder / f"calls_{at // SCENARIOS_PER_FILE:05}.yaml").write_text(text)
