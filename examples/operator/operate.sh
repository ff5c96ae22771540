#!/usr/bin/env bash
# The operator of a deployment: performs one action for `moot run`, and ends. Exit 0 means that it is done.
#
#   operate.sh set_status ID STATUS | add_comment ID TEXT | restart | advance_clock SECONDS | revoke_token
#
# This example operates the mock that mock.sh starts. For your service, replace the calls of the control plane, for
# example with an internal API, a database script, or `kubectl rollout restart`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/mock.sh"

# Sends JSON to the control plane. `moot` shows the text on standard error.
control() {
  local response
  response=$(curl --silent --show-error --fail-with-body --max-time 30 \
    --header 'Content-Type: application/json' --data "$2" "$(address)/__admin$1") || {
    echo "$response" >&2
    return 1
  }
}

# A text as a JSON string.
quoted() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "${text//$'\n'/\\n}"
}

action=${1:?an action}
shift
case $action in
  set_status) control "/legal_requests/$1/status" "{\"status\": $(quoted "$2"), \"force\": true}" ;;
  add_comment) control "/legal_requests/$1/comments" "{\"comment\": $(quoted "$2")}" ;;
  advance_clock) control /clock "{\"advance_seconds\": $1}" ;;
  # The token is not an argument, since any user can see the arguments of a process.
  revoke_token) control /tokens/revoke "{\"token\": $(quoted "${MOOT_TOKEN:?}")}" ;;
  restart)
    stop
    start
    ;;
  *)
    echo "operate.sh cannot do $action" >&2
    exit 2
    ;;
esac
