#!/usr/bin/env bash
# The deployment of this example: a moot mock that keeps its data. `mock.sh start`, `mock.sh stop`.
#
# MOOT is the program, MOCK_HOME the folder with the data of the mock, MOCK_LISTEN its address.
MOOT=${MOOT:-moot}
MOCK_HOME=${MOCK_HOME:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/.mock}
MOCK_LISTEN=${MOCK_LISTEN:-127.0.0.1:4010}

# The base address of the mock.
address() {
  echo "http://$(cat "$MOCK_HOME/listen")"
}

# Starts the mock with its data, and returns when it accepts calls. The mock must not inherit the output of the caller,
# which may wait until that output is closed.
start() {
  mkdir -p "$MOCK_HOME"
  [ -s "$MOCK_HOME/listen" ] || echo "$MOCK_LISTEN" > "$MOCK_HOME/listen"
  : > "$MOCK_HOME/ready.json"
  nohup "$MOOT" mock --listen "$(cat "$MOCK_HOME/listen")" --state "$MOCK_HOME/state" --seed 1 \
    --rate-limit off --format json > "$MOCK_HOME/ready.json" 2> "$MOCK_HOME/log" < /dev/null &
  echo $! > "$MOCK_HOME/pid"
  for _ in $(seq 300); do
    if [ -s "$MOCK_HOME/ready.json" ]; then
      # With port 0 the system chose a port. A restart uses the same one.
      sed -e 's|.*"base_url":"http://\([^/"]*\).*|\1|' "$MOCK_HOME/ready.json" > "$MOCK_HOME/listen"
      return 0
    fi
    kill -0 "$(cat "$MOCK_HOME/pid")" 2> /dev/null || break
    sleep 0.1
  done
  echo "the mock does not start: $(tail -n 5 "$MOCK_HOME/log")" >&2
  return 1
}

# Stops the mock, and returns when it has ended.
stop() {
  local pid
  pid=$(cat "$MOCK_HOME/pid")
  kill "$pid" 2> /dev/null || true
  for _ in $(seq 300); do
    kill -0 "$pid" 2> /dev/null || return 0
    sleep 0.1
  done
  echo "the mock (process $pid) does not end" >&2
  return 1
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  case ${1:-} in
    start | stop) "$1" ;;
    *)
      echo "mock.sh start | stop" >&2
      exit 2
      ;;
  esac
fi
