#!/usr/bin/env bash
# The template of conf/zabbix in a real Zabbix: it imports, discovers sensors, children and
# aggregates over SNMPv3, values arrive as numbers, and notifications raise and clear a problem. That
# for alarms below makes problems of what the nodes of a collector have. dcamp export zabbix makes the
# nodes of a tree hosts, and leaves those of others alone.
# With DCAMP_SCREENSHOT=FILE.png, chromium takes a picture of the dashboard.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=zabbix/api.sh
. "$(dirname "$0")/zabbix/api.sh"
# shellcheck source=zabbix/server.sh
. "$(dirname "$0")/zabbix/server.sh"

need_zabbix
[[ -z ${DCAMP_SCREENSHOT:-} ]] || need chromium chromium
template=$nms_top/conf/zabbix/dcamp-zabbix-6.0.yaml

import() {
    local rules='{}' kind
    for kind in groups templates items triggers graphs discoveryRules valueMaps templateDashboards; do
        rules=$(jq --arg kind "$kind" '.[$kind] = {createMissing: true}
            | if $kind == "groups" then . else .[$kind].updateExisting = true end' <<<"$rules")
    done
    api configuration.import . "$(jq -n --rawfile source "$template" --argjson rules "$rules" \
        '{format: "yaml", source: $source, rules: $rules}')"
}

# template NAME: its number.
template() {
    api template.get '.[0].templateid' "{\"filter\": {\"host\": \"$1\"}}"
}

# add_host NAME ADDRESS [TEMPLATE...]: with these beside that of nodes, and faster than their macros say.
add_host() {
    local group
    group=$(api hostgroup.get '.[0].groupid' '{"filter": {"name": "Linux servers"}}')
    api host.create '.hostids[0]' "$(jq -n --arg name "$1" --arg port "${2##*:}" \
        --arg group "$group" --arg templates "$template_id ${*:3}" \
        --arg user "$(option_of -u)" --arg auth "$(option_of -A)" --arg priv "$(option_of -X)" '
        {host: $name, groups: [{groupid: $group}],
         templates: [$templates | splits(" ") | select(. != "") | {templateid: .}],
         interfaces: [{type: 2, main: 1, useip: 1, ip: "127.0.0.1", dns: "", port: $port,
             details: {version: 3, bulk: 1, securityname: $user, securitylevel: 2,
                 authprotocol: 3, authpassphrase: $auth, privprotocol: 1,
                 privpassphrase: $priv, contextname: ""}}],
         macros: [{macro: "{$DCAMP.INTERVAL}", value: "3s"},
                  {macro: "{$DCAMP.DISCOVERY}", value: "10s"},
                  {macro: "{$DCAMP.ALARMS}", value: "5s"},
                  {macro: "{$DCAMP.SILENT}", value: "30s"},
                  {macro: "{$DCAMP.CHILD.SENSOR.MATCHES}", value: "^cpu\\.busy$"},
                  {macro: "{$DCAMP.BELOW.PATH.MATCHES}", value: "^(?!node2$)"}]}')"
}

# value HOST KEY: the latest value of an item; fails while there is none.
value() {
    local found
    found=$(api item.get '.[] | select(.lastclock != "0") | .lastvalue' \
        "$(jq -n --arg host "$1" --arg key "$2" \
            '{host: $host, filter: {key_: $key}, output: ["lastvalue", "lastclock"]}')")
    [[ -n $found ]] && echo "$found"
}

# items HOST JQ: counts the host's items that jq selects.
items() {
    api item.get "[.[] | select($2)] | length" "$(jq -n --arg host "$1" \
        '{host: $host, output: ["key_", "name", "state", "error", "lastclock", "lastvalue",
            "value_type", "units"]}')"
}

a_number() {
    [[ $(value "$@") =~ ^-?[0-9]+(\.[0-9]+)?$ ]]
}

# lately HOST KEY: a time within the last minute, in seconds since 1970.
lately() {
    local time
    time=$(value "$@") && [[ $time =~ ^[0-9]+$ ]] && ((EPOCHSECONDS - time < 60 && time <= EPOCHSECONDS))
}

# is_value HOST KEY EXPECTED
is_value() {
    [[ $(value "$1" "$2") == "$3" ]]
}

# below COMMAND...: of the host that has the template for alarms below.
below() {
    zabbix_host=$above_id "$@"
}

# has_below KEY: whether the collector has an alarm with this key in its table.
has_below() {
    node=$DCAMP_LAB_COLLECTOR_1 walk dcampChildAlarmKey | grep -q " $1$"
}

# shellcheck disable=SC2016 # variables of jq
# told_since TIME NAME: whether a problem at the host tells that its alarm was raised soon after TIME.
told_since() {
    local text time
    text=$(api problem.get '.[] | select(.name | test($name)).opdata' \
        "{\"hostids\": [\"$zabbix_host\"], \"output\": [\"name\", \"opdata\"]}" --arg name "$2")
    time=$(date +%s -d "${text#since }") && [[ -n $text ]] && ((time >= $1 && time <= $1 + 10))
}

# seen KEY: whether the alarm was found in the table of node1, and has been asked for twice.
seen() {
    local row id
    row=$(node=$DCAMP_LAB_NODE_1 walk dcampAlarmKey | sed -n "s/.*dcampAlarmKey\\.\\([0-9]*\\) .*$1.*/\\1/p")
    id=$(api item.get '.[0].itemid' "{\"host\": \"node1\", \"filter\": {\"key_\": \"dcampAlarmSeverity[$row]\"}}")
    [[ $(api history.get length "{\"history\": 3, \"itemids\": [\"$id\"]}") -ge 2 ]]
}

# shellcheck disable=SC2016 # variables of jq
# graphs REGEX: whether there is one of node1 with such a name.
graphs() {
    api graph.get 'any(.[]; .name | test($name))' \
        "{\"hostids\": [\"$zabbix_host\"], \"output\": [\"name\"]}" --arg name "$1" | grep -qx true
}

# each_series_has_an_item: of node1; those that are on demand come when somebody asks for them.
each_series_has_an_item() {
    node=$DCAMP_LAB_NODE_1 walk dcampValueState |
        sed -n 's/.*dcampValueState\."\([^"]*\)"\."\([^"]*\)".*/dcampValueText[\1,\2]/p' | sort >"$work/series"
    api item.get '.[].key_' '{"host": "node1", "output": ["key_"]}' | sort >"$work/items"
    [[ -s $work/series && -z $(comm -23 "$work/series" "$work/items") ]]
}

# shellcheck disable=SC2016 # variables of jq
# trap_values REGEX: how many values of the item of notifications match, at node1.
trap_values() {
    local id
    id=$(api item.get '.[0].itemid' \
        '{"host": "node1", "filter": {"name": "dCAMP: notifications"}}')
    api history.get '[.[] | select(.value | test($regex))] | length' \
        "{\"history\": 2, \"itemids\": [\"$id\"], \"output\": [\"value\"]}" --arg regex "$1"
}

# trap_values_of REGEX: whether there are any.
trap_values_of() {
    [[ $(trap_values "$1") -gt 0 ]]
}

# screenshot FILE: the first page of the dashboard, as somebody who logs in sees it.
screenshot() {
    cat >"$work/frontend/login.html" <<END
<form method="post" action="index.php">
<input name="name" value="Admin"><input name="password" value="zabbix"><input name="enter" value="Sign in">
<input name="request" value="zabbix.php?action=host.dashboard.view&amp;hostid=$zabbix_host&amp;from=now-5m&amp;to=now">
</form><script>document.forms[0].submit()</script>
END
    chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/chromium" \
        --window-size=1600,1500 --virtual-time-budget=15000 --screenshot="$1" \
        "$zabbix_url/login.html" >"$work/chromium.log" 2>&1
}

# In Newfoundland, so that a time zone that is not understood shows.
TZ=NST3:30 start_tree
start_zabbix
# shellcheck disable=SC2154 # of server.sh
is "the server is Zabbix 6.0" "$(zabbix_server -V | sed -n 's/.*(Zabbix) \(6\.0\).*/\1/p')" 6.0
is "the template is imported" "$(import)" true
is "and once more, over itself" "$(import)" true
template_id=$(template "dCAMP by SNMP")
below_id=$(template "dCAMP alarms below by SNMP")
# shellcheck disable=SC2153 # of the lab
node=$DCAMP_LAB_NODE_1
early=$EPOCHSECONDS
threshold early Sensor=mem.used.percent Operator=gt Limit=0 "Description=größer als nichts" >/dev/null
eventually "an alarm is active before the host is there" 10 exists dcampAlarmKey.1
node=$DCAMP_LAB_NODE_2 threshold other Sensor=mem.used.percent Operator=gt Limit=0 >/dev/null
eventually "the collector has one of the other node" 20 has_below node2:other:total
zabbix_host=$(add_host node1 "$DCAMP_LAB_NODE_1")
# shellcheck disable=SC2153
collector1_id=$(add_host collector1 "$DCAMP_LAB_COLLECTOR_1")
above_id=$(add_host above "$DCAMP_LAB_COLLECTOR_1" "$below_id")

eventually "the sensors of a node are discovered" 60 value node1 'dcampValueText[cpu.busy,total]'
is "the name of the node" "$(value node1 dcampNodeName)" node1
for item in 'node1 dcampValueText[mem.total,total]' 'node1 dcampValueText[load.1,total]' \
    'node1 dcampValueMean[cpu.busy,total]' 'node1 dcampSelfCpuTime' \
    'collector1 dcampAggregateValueText[all.mem.free.percent,total]' \
    'collector1 dcampChildRoundTrip[node1]' 'collector1 dcampChildValueText[node1,cpu.busy,total]'; do
    # shellcheck disable=SC2086 # host and key
    eventually "a number: $item" 40 a_number $item
done
is "the right one, exactly" "$(value node1 'dcampValueText[mem.total,total]')" \
    "$(awk '/^MemTotal/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)"
eventually "a time is the right one" 30 lately collector1 'dcampChildLastContact[node1]'
eventually "children are discovered, up" 30 is_value collector1 'dcampChildState[node2]' 2
is "of both, the aggregate" \
    "$(value collector1 'dcampAggregateValueReporting[all.mem.free.percent,total]')" 2
eventually "every series of the node is an item" 60 each_series_has_an_item
is "and not two: there is none of its state" "$(items node1 '.key_ | startswith("dcampValueState[")')" 0
for name in 'CPU [(]all[)]: busy' 'CPU 0: stacked' 'Load total: averages' 'Memory total: used' \
    'Memory total: octets' 'File system /: used' 'Disk [a-z0-9]+: octets' 'Interface [a-z0-9]+: octets' 'what dcampd costs'; do
    eventually "a graph: $name" 20 graphs "^dCAMP: $name$"
done
is "the dashboard has its pages" "$(api templatedashboard.get '.[].pages | map(.name) | join(", ")' \
    "{\"templateids\": [\"$template_id\"], \"selectPages\": \"extend\"}")" \
    'CPU and memory, Disks, Network, Nodes, dCAMP itself'
is "no item is not supported" "$(items node1 '.state == "1"') $(items collector1 '.state == "1"')" "0 0"

# -- Alarms of which no notification comes ----------------------------------------------------

eventually "an alarm that is older than the host is a problem" 40 \
    problem 'größer als nichts' 2 node1:early:total node1
threshold lost Sensor=mem.used.percent Operator=gt Limit=0 Severity=critical \
    "Description=memory is used" >/dev/null
eventually "so is one whose notification was lost, with its severity and message" 40 \
    problem '^dCAMP: memory is used: ' 4 node1:lost:total node1
is "once" "$(problems node1:lost:total)" 1
eventually "at the collector, an alarm below is a problem: node, rule and instance, severity, key" 40 \
    below problem '^dCAMP: node1: early total: größer als nichts' 2 node1:early:total node1
eventually "and another, with its own severity" 20 \
    below problem '^dCAMP: node1: lost total: memory is used: ' 4 node1:lost:total node1
is "once" "$(below problems node1:lost:total)" 1
is "that of a node which the macro leaves out is none" "$(below problems node2:other:total)" 0
node=$DCAMP_LAB_NODE_2 set_ 'dcampThresholdRowStatus."other"' i destroy >/dev/null
ok "that of node1 tells since when" below told_since "$early" '^dCAMP: node1: early total'
is "without the template for alarms below there are none" "$(zabbix_host=$collector1_id problems node1:lost:total)" 0
is "no item of it is not supported" "$(items above '.state == "1"')" 0
set_ 'dcampThresholdLimit."early"' s 101 'dcampThresholdRowStatus."lost"' i destroy >/dev/null
eventually "it is over with the alarm" 30 not problem 'größer als nichts'
eventually "that of a threshold that is no more, too" 30 not problem 'memory is used'
eventually "so are they at the collector" 30 below not problem '^dCAMP: node1: (early|lost) total'

# -- Notifications: snmptrapd, dcamp-trap, the file of traps, Zabbix ---------------------------

start_trap_stream() {
    mkfifo "$work/stream"
    start handler "$DCAMP_BUILD/dcamp-trap" zabbix --trap-file "$zabbix_traps" \
        --spool "$work/spool" --address 127.0.0.1 --stream="$work/stream"
    "$DCAMP_BUILD/dcamp-trap" --print-snmptrapd-conf | start_trapd -On -Lf "$work/stream"
}

start_trap_stream
node=$DCAMP_LAB_NODE_2
load_threshold hot
load_threshold warm Severity=warning
text='too many tasks: load on total is 90 tasks .limit > 50.'
ok "no problem before" not problem 'too many tasks'
set_load "$machine" 90
eventually "a notification raises a problem: severity, key and node of the alarm, its message" 20 \
    problem "^dCAMP: $text$" 4 node2:hot:total node2
eventually "so does the warning" 10 problem "^dCAMP: $text$" 2 node2:warm:total node2
is "the item has the notification, once" \
    "$(trap_values 'dcampAlarmKey.* value=STRING: "node2:hot:total"')" 1
set_load "$machine" 10
eventually "the problems are over" 20 not problem 'too many tasks'
is "the item has the clears" "$(trap_values 'value=OID: .*dcampAlarmCleared')" 2

control kill-dcampd --node 2
eventually "a child that is lost is a problem" 20 problem '^dCAMP: ' 4 node2:node-lost: node2
control start-dcampd --node 2
eventually "it is over when it is back" 20 not problem '^dCAMP: ' 4 node2:node-lost: node2

# The notification and the table of active alarms tell of the same problem.
node=$DCAMP_LAB_NODE_1
threshold both Sensor=mem.used.percent Operator=gt Limit=0 Severity=critical >/dev/null
eventually "a notification makes a problem" 20 problem 'mem.used.percent on total' 4 node1:both:total node1
eventually "its alarm is found" 40 seen node1:both:total
is "there is one problem of it" "$(problems node1:both:total)" 1
set_ 'dcampThresholdRepeat."both"' u 1000 >/dev/null
eventually "it is repeated" 20 trap_values_of 'dcampAlarmEvent.* value=INTEGER: repeated[(]6[)]'
is "there still is one problem of it" "$(problems node1:both:total)" 1
set_ 'dcampThresholdSeverity."both"' i warning >/dev/null
eventually "another severity is another problem" 20 problem 'mem.used.percent on total' 2 node1:both:total node1
is "instead of the first" "$(problems node1:both:total)" 1
set_ 'dcampThresholdRowStatus."both"' i destroy >/dev/null
eventually "it is over" 20 not problem 'mem.used.percent on total'

# A server that has loaded the MIB has names in indexes, and other texts for times.
end zabbix
run_server MIBS=DCAMP-MIB MIBDIRS="$(option_of -M)"
node=$DCAMP_LAB_NODE_1
named=$EPOCHSECONDS
threshold named Sensor=mem.used.percent Operator=gt Limit=0 "Description=mehr als genügend" >/dev/null
above_id=$(add_host named "$DCAMP_LAB_COLLECTOR_1" "$below_id")
for key in 'dcampValueText[mem.total,total]' 'dcampAggregateValueText[all.mem.free.percent,total]' \
    'dcampChildValueText[node1,cpu.busy,total]'; do
    eventually "with the MIB, a number: $key" 60 a_number named "$key"
done
eventually "with the MIB, a time is the right one" 30 lately named 'dcampChildLastContact[node1]'
eventually "with the MIB, an alarm below is a problem" 40 \
    below problem '^dCAMP: node1: named total: mehr als genügend' 2 node1:named:total node1
ok "with the MIB, it tells since when" below told_since "$named" '^dCAMP: node1: named total'
is "with the MIB, no item is not supported" "$(items named '.state == "1"')" 0
[[ -z ${DCAMP_SCREENSHOT:-} ]] || ok "a screenshot" screenshot "$DCAMP_SCREENSHOT"

# -- The nodes of a tree as hosts --------------------------------------------------------------

# secret FILE LINE...: a file for its owner only.
secret() {
    (umask 077 && printf '%s\n' "${@:2}" >"$1")
}

# export_ [OPTION...]: its exit status; the output, and what is said. The tree of the lab.
export_() {
    local status=0
    "$DCAMP_BUILD/dcamp" export zabbix -U dcampPoll --secrets "$lab_dir/site.secret" --api "$zabbix_url" \
        --token-file "$work/zabbix.login" "$@" "$DCAMP_LAB_ROOT" >"$work/exported" 2>"$work/said" || status=$?
    echo "$status"
}

# exported [OPTION...]: the exit status, and each host with what became of it.
exported() {
    local status
    status=$(export_ --tsv "$@")
    echo "$status $(awk -F '\t' 'NR > 1 { print $1 ":" $2 }' "$work/exported" | paste -sd ' ')"
}

# host NAME JQ: of a host, with all that the export makes.
host() {
    api host.get ".[0] | $2" "{\"filter\": {\"host\": \"$1\"}, \"selectTags\": \"extend\", \"selectGroups\": \"extend\",
        \"selectParentTemplates\": [\"host\"], \"selectInterfaces\": \"extend\"}"
}

# change_host NAME PARAMS: by the API, as somebody else would.
change_host() {
    api host.update . "$(jq --arg id "$(host "$1" .hostid)" '. + {hostid: $id}' <<<"$2")"
}

# delete_host NAME
delete_host() {
    api host.delete . "[\"$(host "$1" .hostid)\"]"
}

# has_host NAME
has_host() {
    [[ $(host "$1" .hostid) =~ ^[0-9]+$ ]]
}

# is_of_tree HOST ROOT
is_of_tree() {
    [[ $(host "$1" '.tags[0].value') == "$2" ]]
}

# push FILE: to the root.
push() {
    local login
    read -r -a login <<<"$DCAMP_LAB_LOGIN"
    "$DCAMP_BUILD/dcamp" config push "${login[@]}" --config "$1" "$DCAMP_LAB_ROOT"
}

# tree_has N: whether the root has so many nodes.
tree_has() {
    local login
    read -r -a login <<<"$DCAMP_LAB_LOGIN"
    [[ $("$DCAMP_BUILD/dcamp" tree --tsv "${login[@]}" "$DCAMP_LAB_ROOT" | tail -n +2 | wc -l) -eq $1 ]]
}

# other_root ADDRESS: whether there is a root that is not this one.
other_root() {
    lab_env
    [[ -n ${DCAMP_LAB_ROOT:-} && $DCAMP_LAB_ROOT != "$1" ]]
}

start_lab --tree --nodes 1 --standbys 1
secret "$work/zabbix.login" 'user Admin' 'password zabbix'
is "a host that somebody else has made is left alone" "$(exported --check)" \
    "4 dCAMP/default:to be created dCAMP/odd:to be created node2:to be created node3:to be created"
ok "which is told" grep -q '^dcamp: node1: left alone: there is such a host or template already, ' "$work/said"
ok "it goes" delete_host node1
is "what there is to be done" "$(exported --check)" \
    "1 dCAMP/default:to be created dCAMP/odd:to be created node1:to be created node2:to be created node3:to be created"
ok "is not done by looking" not has_host node2
is "the nodes become hosts" "$(exported)" "0 dCAMP/default:created dCAMP/odd:created node1:created node2:created node3:created"
is "the second time there is nothing to do" "$(export_) $(<"$work/exported")$(<"$work/said")" \
    "0 Nothing to do: Zabbix has the 3 nodes of the tree of node1."
# shellcheck disable=SC2016 # interpolation of jq
is "a host has its group, its template, its tag, and is enabled" \
    "$(host node3 '"\(.name) \(.groups[].name) \(.parentTemplates[].host) \(.tags[] | "\(.tag)=\(.value)") \(.status)"')" \
    "node3 dCAMP/odd dCAMP by SNMP dcamp:root=node1 0"
# shellcheck disable=SC2016 # a macro
ok "somebody adds something" change_host node3 '{"macros": [{"macro": "{$DCAMP.INTERVAL}", "value": "3s"}],
    "tags": [{"tag": "dcamp:root", "value": "node1"}, {"tag": "site", "value": "here"}]}'
eventually "Zabbix asks it, and it answers" 60 is_value node3 dcampNodeName node3
is "that stays" "$(exported) $(host node3 '.tags | length')" "0  2"
api hostinterface.update . "{\"interfaceid\": \"$(host node3 '.interfaces[0].interfaceid')\", \"port\": \"1\"}" >/dev/null
is "another address is put right" "$(exported)" "0 node3:changed"
is "as it was" "$(exported) $(host node3 '.interfaces[0].port')" "0  $(sed -n 's/.*name="node3" address="udp:127\.0\.0\.1:\([0-9]*\)".*/\1/p' "$DCAMP_LAB_TREE")"

sed '/<node name="node3"/d' "$DCAMP_LAB_TREE" >"$work/smaller.xml"
ok "a node leaves the tree" push "$work/smaller.xml"
eventually "which has two nodes" 20 tree_has 2
is "its host is disabled" "$(exported) $(host node3 .status)" "0 node3:disabled 1"
is "once" "$(exported)" "0 "
ok "it comes back" push "$DCAMP_LAB_TREE"
eventually "and is there" 20 tree_has 3
is "its host is enabled again" "$(exported) $(host node3 .status) $(host node3 '.tags | length')" "0 node3:changed 0 2"
ok "it leaves once more" push "$work/smaller.xml"
eventually "and is gone" 20 tree_has 2
is "its host is deleted where that is wanted" "$(exported --delete)" "0 node3:deleted"
ok "and no other one" has_host collector1

# As a token says, and not as one that Zabbix does not know.
token_id=$(api token.create '.tokenids[0]' '{"name": "dcamp"}')
secret "$work/zabbix.login" "token $(api token.generate '.[0].token' "[\"$token_id\"]")"
is "a token does as well" "$(exported)" "0 "
is "macros instead of passphrases" "$(exported --macros) $(host node2 '.interfaces[0].details.authpassphrase')" \
    "0 node1:changed node2:changed {\$DCAMP.AUTH}"
is "and passphrases again" "$(exported)" "0 node1:changed node2:changed"
secret "$work/zabbix.login" 'token 00000000000000000000000000000000'
is "a token that is not known" "$(exported)" "4 "
ok "is told" grep -q 'Zabbix does not take template.get: ' "$work/said"
secret "$work/zabbix.login" 'user Admin' 'password wrong'
is "a wrong password is told, without it" "$(exported) $(grep -c 'Admin: Zabbix does not take user.login: ' "$work/said") $(grep -c wrong "$work/said")" \
    "4  1 0"
secret "$work/zabbix.login" 'user Admin' 'password zabbix'

# Kept current, over another root.
old_root=$DCAMP_LAB_ROOT
"$DCAMP_BUILD/dcamp" export zabbix -t 2 -U dcampPoll --secrets "$lab_dir/site.secret" --api "$zabbix_url" --token-file "$work/zabbix.login" \
    --watch=1s "$old_root" </dev/null >"$work/exported" 2>"$work/watch.said" &
watcher=$!
jobs_started+=("$watcher")
ok "somebody deletes a host" delete_host node2
eventually "it is made again" 30 has_host node2
eventually "which is told" 10 grep -qx 'dcamp: node2: created in Zabbix: dCAMP/default' "$work/watch.said"
control kill-dcampd --node node1 --signal KILL
eventually "another node becomes root" 60 other_root "$old_root"
eventually "the hosts are of its tree now" 60 is_of_tree node1 node2
status=0
kill -TERM "$watcher"
wait "$watcher" || status=$?
is "until a signal ends it" "$status" 143
is "there is nothing to be done after it" "$(exported)" "0 "
finish
