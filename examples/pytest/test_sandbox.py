"""Run with: moot exec -- python3 -m pytest examples/pytest"""

import urllib.error

import pytest
from conftest import call


def workflows(sandbox, token):
    headers = {"Authorization": "Bearer " + token}
    return call("GET", sandbox.base_url + "/v1/workflows", headers=headers)["data"]


def test_a_token_reads_workflows(sandbox):
    assert workflows(sandbox, sandbox.token())


def test_a_token_expires(sandbox):
    token = sandbox.token()
    sandbox.advance(7200)
    with pytest.raises(urllib.error.HTTPError) as refused:
        workflows(sandbox, token)
    assert refused.value.code == 401
    assert workflows(sandbox, sandbox.token())
