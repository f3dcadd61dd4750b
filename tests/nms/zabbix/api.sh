# shellcheck shell=bash
# The API of a Zabbix, and the problems that it has. Who sources this sets
#
#   zabbix_url   where the front end is
#   zabbix_auth  what user.login gave; empty before
#   zabbix_host  the host, by its number, whose problems are asked for

zabbix_url=${zabbix_url:-} zabbix_auth=${zabbix_auth:-} zabbix_host=${zabbix_host:-}

# api METHOD JQ [PARAMS [JQ-OPTION...]]: prints what jq makes of the result; fails with what the API
# said.
api() {
    local method=$1 filter=$2 params=${3:-[]} answer
    shift $(($# < 3 ? $# : 3))
    # Not as an argument: a template is longer than one may be.
    answer=$(jq --arg method "$method" --arg auth "$zabbix_auth" \
        '{jsonrpc: "2.0", id: 1, method: $method, params: .}
         + if $auth == "" then {} else {auth: $auth} end' <<<"$params" |
        curl -s -H 'Content-Type: application/json-rpc' --data-binary @- \
            "$zabbix_url/api_jsonrpc.php")
    if ! jq -e 'has("result")' <<<"$answer" >/dev/null 2>&1; then
        jq -r '"\(.error.message) \(.error.data)"' <<<"$answer" 2>/dev/null || echo "$answer"
        return 1
    fi
    jq -r "$@" ".result | $filter" <<<"$answer"
}

# shellcheck disable=SC2016 # variables of jq
# problem NAME [SEVERITY [KEY NODE]]: whether the host has one whose name matches.
problem() {
    api problem.get 'any(.[]; (.name | test($name)) and ($severity == "" or .severity == $severity)
        and ($key == "" or ([.tags[] | {(.tag): .value}] | add | .alarm == $key and .node == $node)))' \
        "$(jq -n --arg host "$zabbix_host" '{hostids: [$host], output: ["name", "severity"],
            selectTags: ["tag", "value"]}')" \
        --arg name "$1" --arg severity "${2:-}" --arg key "${3:-}" --arg node "${4:-}" |
        grep -qx true
}

# shellcheck disable=SC2016 # variables of jq
# problems KEY: how many the host has of the alarm with this key.
problems() {
    api problem.get '[.[] | select(any(.tags[]; .tag == "alarm" and .value == $key))] | length' \
        "{\"hostids\": [\"$zabbix_host\"], \"selectTags\": [\"tag\", \"value\"]}" --arg key "$1"
}
