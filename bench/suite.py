"""A suite of as many checks as asked, as scenario files: ten kinds of calls in turn, ten calls a scenario."""
import pathlib

CALLS_PER_SCENARIO, SCENARIOS_PER_FILE = 10, 10
FORM = "grant_type: client_credentials, client_id: <target.main.client_id>, " \
       "client_secret: <target.main.client_secret>, scope: read write"


def kinds(first_id):
    """Request, further keys, requirement, place, value; each with its status."""
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


def write(folder, checks, first_id):
    """Writes the files into a new folder."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    known = kinds(first_id)
    calls = [known[number % len(known)] for number in range(checks)]
    scenarios = [scenario(at // CALLS_PER_SCENARIO, calls[at:at + CALLS_PER_SCENARIO])
                 for at in range(0, checks, CALLS_PER_SCENARIO)]
    for at in range(0, len(scenarios), SCENARIOS_PER_FILE):
        text = 'section: "4"\ntitle: Many calls\nscenarios:\n' + "\n".join(scenarios[at:at + SCENARIOS_PER_FILE]) + "\n"
        (folder / f"calls_{at // SCENARIOS_PER_FILE:05}.yaml").write_text(text)
