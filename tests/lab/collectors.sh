# shellcheck shell=bash
# Collectors of a lab and the root above them, for the script lab, which sets what is used here
# and has ask, die, failed and name_of.
#
# Who polls has a user of its own at the nodes below, who may read only: "collector" at the leaves,
# "root" at the collectors.

collectors=${collectors:-0} nodes=${nodes:-1} dir=${dir:-}
push=${push:-0} pushed=${pushed:-} arc=${arc:-} period=${period:-1s} authproto=${authproto:-} privproto=${privproto:-}
declare -A ports poll_auth poll_priv push_ports

name_nodes() {
    local i
    for ((i = 1; i <= nodes; i++)); do
        ids+=("$i")
    done
    for ((i = 1; i <= collectors; i++)); do
        ids+=("collector$i")
    done
    ((collectors == 0)) || ids+=(root)
}

# The user that the parent of node $1 is to it; fails where there is no parent.
parent_user() {
    [[ $collectors -gt 0 && $1 != root ]] || return 1
    [[ $1 == collector* ]] && echo root || echo collector
}

prepare_users() {
    local user
    for user in collector root; do
        poll_auth[$user]=$(random_hex 12)
        poll_priv[$user]=$(random_hex 12)
    done
}

# The protocols of all users, as attributes of dCAMP's own files.
protocols() {
    local cipher=$privproto
    [[ $cipher != AES ]] || cipher=AES-128
    echo "auth=\"$authproto\" priv=\"$cipher\""
}

# Lines for snmpd.conf of node $1 that let its parent in.
parent_access() {
    local user
    user=$(parent_user "$1") || return 0
    echo "createUser $user $authproto \"${poll_auth[$user]}\" $privproto \"${poll_priv[$user]}\""
    echo "group dcampPoll usm $user"
}

# The port at which node $1 is told by its children; chosen where there is none yet.
push_port() {
    [[ -z ${push_ports[$1]:-} ]] || return 0
    push_ports[$1]=$(free_port)
    reserved+=("${push_ports[$1]}")
}

# The parent of node $1.
parent_of() {
    [[ $1 == collector* ]] && echo root || echo "collector$((($1 - 1) * collectors / nodes + 1))"
}

# Where node $1 is in the tree, as attributes; nothing where there is none.
place_of() {
    local parent
    [[ $collectors -gt 0 ]] || return 0
    if [[ $1 == root ]]; then
        echo 'level="0"'
        return
    fi
    parent=$(name_of "$(parent_of "$1")")
    [[ $parent == root ]] && echo 'parent="root" level="1"' || echo "parent=\"$parent\" level=\"2\""
}

# Lines for snmpd.conf of node $1: what it pushes goes to its parent, signed by the parent's user.
parent_push() {
    local user
    [[ $push -gt 0 ]] && user=$(parent_user "$1") || return 0
    echo "notificationFilter pushes $pushed 0x00 included"
    echo "trapsess -profile pushes -v 3 -l authPriv -u $user" \
        "udp:127.0.0.1:${push_ports[$(parent_of "$1")]}"
    echo "notificationFilter alarms .1.3 0x00 included"
    echo "notificationFilter alarms $pushed 0x00 excluded"
}

# What else the receiver of all other notifications is given, before its options.
alarms_only() {
    [[ $push -eq 0 ]] || echo '-profile alarms '
}

# The children of node $1: leaves are spread evenly, neighbours together.
children_of() {
    local i
    case $1 in
    root) echo "${ids[@]:nodes:collectors}" ;;
    collector*)
        for ((i = 1; i <= nodes; i++)); do
            (((i - 1) * collectors / nodes + 1 != ${1#collector})) || echo "$i"
        done
        ;;
    esac
}

child_elements() {
    local id every=$period
    [[ $1 != root ]] || every=1s
    for id in $(children_of "$1"); do
        echo "    <child name=\"$(name_of "$id")\" address=\"udp:127.0.0.1:${ports[$id]}\"" \
            "credential=\"children\" period=\"$every\"/>"
    done
}

# aggregate NAME FUNCTION SENSOR [INSTANCES]: over the leaves; at the root, over the same of the
# collectors.
aggregate() {
    local sensor=$3 instances=${4:-*}
    [[ $parent != root ]] || sensor=$1 instances="*"
    echo "    <aggregate name=\"$1\" sensor=\"$sensor\" instances=\"$instances\"" \
        "function=\"$2\" interval=\"1s\"/>"
}

# each NAME SENSOR [INSTANCES]: the value of each leaf under its name.
each() {
    local sensor=$2 instances=${3:-*} by=child
    [[ $parent != root ]] || sensor=$1 instances="*" by=instance
    echo "    <aggregate name=\"$1\" sensor=\"$sensor\" instances=\"$instances\"" \
        "function=\"avg\" by=\"$by\" interval=\"1s\"/>"
}

aggregate_elements() {
    local metric parent=$1 disks='!sd*[0-9] !vd*[0-9] !nvme*p* !mmcblk*p* !dm-* *'
    aggregate all.nodes count cpu.busy total
    aggregate all.cpu.busy avg cpu.busy total
    aggregate all.mem.free.percent avg mem.free.percent
    for metric in net.rx.bytes net.tx.bytes net.rx.packets net.tx.packets; do
        aggregate "all.$metric" sum "$metric"
    done
    for metric in disk.reads disk.writes; do
        aggregate "all.$metric" sum "$metric" "$disks"
    done
    each node.cpu.busy cpu.busy total
    each node.mem.free.percent mem.free.percent
}

# Makes a collector of node $1, unless it is a leaf; with aggregates of the lab for those that the
# configuration has.
add_children() {
    local own=$dir/$1 user=collector
    [[ ! $1 =~ ^[0-9]+$ ]] || return 0
    [[ $1 != root ]] || user=root
    printf 'auth %s\npriv %s\n' "${poll_auth[$user]}" "${poll_priv[$user]}" >"$own/children.secret"
    {
        sed -e '/^ *<aggregates>/,/^ *<\/aggregates>/d' -e '/^<\/dcamp>/,$d' "$own/dcamp.xml"
        [[ $push -eq 0 ]] || echo "  <collect listen=\"udp:127.0.0.1:${push_ports[$1]}\"/>"
        echo '  <credentials>'
        echo "    <credential name=\"children\" user=\"$user\" secrets=\"$own/children.secret\"" \
            "$(protocols)/>"
        echo '  </credentials>'
        echo '  <children>'
        child_elements "$1"
        echo '  </children>'
        echo '  <aggregates>'
        aggregate_elements "$1"
        echo '  </aggregates>'
        echo '</dcamp>'
    } >"$own/dcamp.xml.new"
    mv "$own/dcamp.xml.new" "$own/dcamp.xml"
}

# Whether node $1 knows every series of its child $2.
knows_series() {
    local known there
    known=$(ask "$1" snmpget -Oqv "dcampChildSeries.\"$(name_of "$2")\"") || return 1
    there=$(ask "$2" snmpbulkwalk -Oqv dcampSeriesSensor | wc -l)
    [[ $known =~ ^[0-9]+$ && $there -gt 0 && $known -ge $there ]]
}

# wait_known PARENT: every child is up, with all that it has.
wait_known() {
    local i child
    for child in $(children_of "$1"); do
        for ((i = 0; i < 150; i++)); do
            knows_series "$1" "$child" && continue 2
            sleep 0.2
        done
        failed "$1 does not hear all of $(name_of "$child")" "$dir/$1/dcampd.log"
    done
}

# What the root computes of the leaves comes through the collectors, a period each. The wait is
# short, for a configuration may have other sensors.
wait_root() {
    local i reporting missing
    for ((i = 0; i < 25; i++)); do
        reporting=$(ask root snmpget -Oqv 'dcampAggregateValueReporting."all.nodes"."total"' || true)
        missing=$(ask root snmpbulkwalk -Oqv dcampAggregateValueMissing || true)
        [[ $reporting -ne $nodes || $missing == *[1-9]* ]] || return 0
        sleep 0.2
    done
}

wait_children() {
    local id
    ((collectors > 0)) || return 0
    for id in "${ids[@]:nodes}"; do
        wait_known "$id"
    done
    wait_root
}
