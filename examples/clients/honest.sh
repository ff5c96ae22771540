#!/bin/sh
# A client that passes `moot drill`. It lists legal requests, creates one, and reads it.
#
#     moot drill -- sh examples/clients/honest.sh
#
# Needs curl.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
agent=honest-sh/1.0
tries_max=5
token=

fail() { echo "$*" >&2; exit 1; }
member() { grep -o "\"$1\":\"[^\"]*\"" "$dir/body" | sed 's/.*:"\(.*\)"/\1/' | head -1; }

# One call. Sets status (000 without a complete response) and $dir/body.
send() {
  status=$(curl -sS -m 20 -A "$agent" -o "$dir/body" -D "$dir/head" -w '%{http_code}' "$@" 2>"$dir/why") || status=000
  case $status in 2*) tail -c 1 "$dir/body" | grep -q '}' || status=000 ;; esac
}

# The seconds to wait: the time of Retry-After, else more with each try.
pause() {
  after=$(tr -d '\r' <"$dir/head" | sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\)$/\1/p')
  # Retry-After may be a date. If `date` can't read it, five seconds are enough.
  until=$(tr -d '\r' <"$dir/head" | sed -n 's/^[Rr]etry-[Aa]fter: *\([A-Z].*GMT\)$/\1/p')
  if [ -n "$until" ]; then
    until=$(date -u -d "$until" +%s 2>/dev/null) && after=$((until - $(date -u +%s))) || after=5
    [ "$after" -ge 0 ] || after=0
  fi
  case $1 in 1) longer=0.3 ;; 2) longer=0.8 ;; 3) longer=1.7 ;; *) longer=3.5 ;; esac
  # A tenth of a second more, since clocks differ.
  if [ -n "$after" ]; then sleep "$after.1"; else sleep "$longer"; fi
}

renew() {
  try=1
  while :; do
    : >"$dir/head"
    send "$MOOT_TOKEN_URL" -d grant_type=client_credentials -d 'scope=read write' \
      -d "client_id=$MOOT_CLIENT_ID" -d "client_secret=$MOOT_CLIENT_SECRET"
    case $status in
      200) token=$(sed 's/.*"access_token":"\([^"]*\)".*/\1/' "$dir/body"); return ;;
      000 | 429 | 5*) [ $try -lt $tries_max ] || fail "no token: $status" ;;
      *) fail "no token: $status $(member error)" ;;
    esac
    pause $try
    try=$((try + 1))
  done
}

# A call with a token, which is renewed once. Waits at 429. Sets status.
call() {
  path=$1
  shift
  try=1
  while :; do
    [ -n "$token" ] || renew
    : >"$dir/head"
    send "$MOOT_BASE_URL$path" -H "Authorization: Bearer $token" "$@"
    case $status in
      401) [ $try -lt 3 ] || return; token= ;;
      429) [ $try -lt $tries_max ] || return; pause $try ;;
      *) return ;;
    esac
    try=$((try + 1))
  done
}

# A GET. It is repeated while its outcome is unknown.
get() {
  again=1
  while :; do
    call "$1"
    case $status in
      2*) return ;;
      000 | 5*) [ $again -lt $tries_max ] || fail "GET $1: $status" ;;
      *) fail "GET $1: $status $(member type)" ;;
    esac
    pause $again
    again=$((again + 1))
  done
}

# All rows of the list of legal requests, in $dir/rows.
list() {
  : >"$dir/rows"
  page=1
  pages=1
  while [ $page -le "$pages" ]; do
    get "/v1/requests?page=$page"
    pages=$(sed 's/.*"total_pages":\([0-9]*\).*/\1/' "$dir/body")
    grep -o '"id":"[^"]*"' "$dir/body" >>"$dir/rows"
    page=$((page + 1))
  done
}

create() {
  get "/v1/workflows/$MOOT_GENERATED_WORKFLOW_ID/schema"
  signer=$(grep -o '"options":\["[^"]*@[^"]*"' "$dir/body" | sed 's/.*\["\(.*\)"/\1/' | head -1)
  call /v1/requests -F "workflow_id=$MOOT_GENERATED_WORKFLOW_ID" -F "requester_email=$MOOT_REQUESTER_EMAIL" \
    -F 'counterparty_name=Ada Sample' -F 'counterparty_email=ada@sample.invalid' \
    -F 'counterparty_organization_name=Sample Works Ltd' -F "internal_signer_email=$signer" \
    -F 'variables={"purpose":"Test","duration":2,"duration_unit":"years"}'
}

list
cp "$dir/rows" "$dir/before"
tried=1
while :; do
  create
  case $status in 201) made=$(member id); break ;; esac
  refused="$status $(member type)"
  # If the response is lost, the request may exist. So look for a new row.
  list
  made=$(grep -vxFf "$dir/before" "$dir/rows" | sed 's/.*:"\(.*\)"/\1/' | head -1)
  [ -z "$made" ] || break
  case $refused in 000* | 5* | 422*) ;; *) fail "not created: $refused" ;; esac
  [ $tried -lt 3 ] || fail "not created: $refused"
  pause $tried
  tried=$((tried + 1))
done
get "/v1/requests/$made"
case $(member status) in declined | canceled | expired) fail "it was ended" ;; esac
get "/v1/requests/$made/activity"
echo "created $made"
