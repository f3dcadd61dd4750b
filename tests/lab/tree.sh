# shellcheck shell=bash
# A lab whose nodes are all alike at first, and a tree once the first one is promoted: for the
# script lab, which sets what is used here and has ask, assign, die, failed, name_of and print_node,
# and what etcd.sh has.
#
# Node 1 is the first candidate, the standbys follow it, then those that are to collect, then all
# others; the late ones are last. What they become, the director decides.

tree=${tree:-no} standbys=${standbys:-0} late=${late:-0} promote=${promote:-yes}
coordination=${coordination:-list} nodes=${nodes:-1} collectors=${collectors:-0} dir=${dir:-} config=${config:-}
role_oid=${role_oid:-} push=${push:-0} run=${run:-} build_dir=${build_dir:-} auth=${auth:-} priv=${priv:-} authproto=${authproto:-} privproto=${privproto:-} period=${period:-1s}
announce=${announce:-no} announced=${announced:-} announce_port=${announce_port:-0}
declare -A ports

check_tree() {
    [[ $standbys =~ ^[0-9]{1,2}$ && $standbys -le 15 ]] ||
        die "--standbys $standbys: expected a number from 0 to 15"
    [[ $late =~ ^[0-9]{1,4}$ && $late -le $nodes ]] ||
        die "--late $late: expected a number from 0 to that of the nodes"
    [[ $push -eq 0 ]] || die "--push does not go with --tree"
    [[ $promote == no || -x $build_dir/dcamp ]] || die "$build_dir/dcamp is missing (build it)"
}

name_tree() {
    local i
    for ((i = 1; i <= 1 + standbys + collectors + nodes; i++)); do
        ids+=("$i")
    done
}

# The late nodes are the last ones.
is_late() {
    (($1 > ${#ids[@]} - late))
}

# Lines for snmpd.conf of node $1 that send its announcements to the candidates, signed by the user
# that polls. The receiver of all other notifications gets them, too.
announce_to() {
    [[ $announce == yes ]] && is_late "$1" || return 0
    echo "notificationFilter announces $announced 0x00 included"
    echo "trapsess -profile announces -v 3 -l authPriv -u dcampPoll udp:127.0.0.1:$announce_port"
}

announce_element() {
    [[ $announce == yes && -n ${ports[$1]:-} ]] && is_late "$1" || return 0
    echo "  <announce port=\"${ports[$1]}\" after=\"5s\"/>"
}

# A base node: who it is, and nothing to do but to announce itself.
write_base_conf() {
    local name
    find_name "$1"
    cat >"$dir/$name/dcamp.xml" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<dcamp version="1">
  <node name="$name"/>
$(announce_element "$1")
</dcamp>
XML
}

# The options of dcamp: as whom it asks.
login() {
    echo "-U dcampAdmin -a $authproto -A $auth -x $privproto -X $priv"
}

# -- The document ----------------------------------------------------------------------------

# So many children that the collectors have room for all nodes, with one of them gone.
fanout() {
    local least=$((collectors + standbys)) rest=$((collectors > 1 ? collectors - 1 : 1))
    local each=$(((nodes + standbys + rest - 1) / rest))
    ((least > each)) || least=$each
    ((least > 2)) || least=2
    echo "$least"
}

node_element() {
    local id=$1 first=$((1 + standbys)) collect='' group=even name
    find_name "$id"
    if ((id > first && id <= first + collectors)); then
        collect=' collect="yes"'
    fi
    if ((id <= first + collectors)); then
        group=default
    elif ((id % 2)); then
        group=odd
    fi
    echo "    <node name=\"$name\" address=\"udp:127.0.0.1:${ports[$id]}\"" \
        "group=\"$group\"$collect/>"
}

# The lists of rows that a configuration file has, but for those of a parent.
lists_of() {
    python3 - "$1" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree
for element in tree.parse(sys.argv[1]).getroot():
    if element.tag in ('sensors', 'filters', 'thresholds', 'objects', 'conditions', 'maintenances'):
        print('  ' + tree.tostring(element, encoding='unicode').strip())
PYTHON
}

tree_aggregates() {
    cat <<XML
  <aggregates>
    <aggregate name="all.nodes" sensor="cpu.busy" instances="total" function="count" interval="$period"/>
    <aggregate name="all.cpu.busy" sensor="cpu.busy" instances="total" function="avg" interval="$period"/>
  </aggregates>
XML
}

write_tree() {
    local id
    printf 'auth %s\npriv %s\n' "$auth" "$priv" >"$dir/site.secret"
    {
        echo '<?xml version="1.0" encoding="UTF-8"?>'
        echo '<tree version="1">'
        echo "  <rules fanout=\"$(fanout)\" heartbeat=\"500ms\" missed=\"3\" leaf-heartbeat=\"1s\"" \
            "period=\"$period\"/>"
        echo "  <access secrets=\"$dir/site.secret\" admin=\"dcampAdmin\" poll=\"dcampPoll\"" \
            "$(protocols)/>"
        coordination_element
        echo '  <candidates>'
        for ((id = 1; id <= 1 + standbys; id++)); do
            echo "    <candidate node=\"$(name_of "$id")\"/>"
        done
        echo '  </candidates>'
        echo '  <nodes>'
        for id in "${ids[@]}"; do
            { [[ $announce == yes ]] && is_late "$id"; } || node_element "$id"
        done
        echo '  </nodes>'
        [[ $announce == no ]] ||
            echo "  <announcements listen=\"udp:127.0.0.1:$announce_port\" networks=\"127.0.0.0/8\"/>"
        lists_of "$config"
        ! grep -q 'metric="cpu.busy"' "$config" || tree_aggregates
        echo '</tree>'
    } >"$dir/tree.xml"
}

# -- From base nodes to a tree ---------------------------------------------------------------

# So many at once: the start of one is mostly waiting, and a machine can be busy with too many.
batch=64

# spawn_snmpds ID...
spawn_snmpds() {
    local port
    while read -r port; do
        ports[$1]=$port
        write_snmpd_conf "$1"
        spawn_snmpd "$1"
        shift
    done < <(free_ports $#)
}

# None has its port yet when the next one is chosen: one that has lost it to somebody else takes
# another.
start_snmpds() {
    local id at lost
    for ((at = 0; at < ${#ids[@]}; at += batch)); do
        spawn_snmpds "${ids[@]:at:batch}"
        save_lab
        mapfile -t lost < <(failing wait_snmpd "${ids[@]:at:batch}")
        for id in "${lost[@]}"; do
            end_processes TERM "snmpd-$id"
            start_snmpd "$id"
        done
    done
    save_lab
}

start_dcampds() {
    local id at silent due=("${ids[@]:0:${#ids[@]}-late}")
    for ((at = 0; at < ${#due[@]}; at += batch)); do
        for id in "${due[@]:at:batch}"; do
            spawn_dcampd "$id"
        done
        mapfile -t silent < <(failing wait_dcampd "${due[@]:at:batch}")
        [[ ${#silent[@]} -eq 0 ]] ||
            failed "dcampd of node ${silent[0]} does not answer" "$dir/$(name_of "${silent[0]}")/dcampd.log"
    done
}

start_tree() {
    local id
    [[ $coordination == list ]] || start_etcd
    if [[ $announce == yes ]]; then
        announce_port=$(free_port)
        reserved+=("$announce_port")
    fi
    start_snmpds
    # Once more: a node that announces itself says its port, which it has by now.
    for id in "${ids[@]:${#ids[@]}-late}"; do
        write_base_conf "$id"
    done
    start_dcampds
    write_tree
    [[ $promote == no ]] || promote_first
}

promote_first() {
    local own=$run/client options
    read -r -a options <<<"$(login)"
    private "$own" "$build_dir/dcamp" promote --config "$dir/tree.xml" "${options[@]}" \
        "udp:127.0.0.1:${ports[1]}" >>"$dir/promote.log" 2>&1 ||
        failed "node1 cannot be promoted" "$dir/promote.log" "$dir/node1/dcampd.log"
    wait_tree $((${#ids[@]} - late)) ||
        failed "not all nodes are up: $(tree_states 1 | sort | uniq -c | tr -s ' \n' ' ')" \
            "$dir/node1/dcampd.log"
}

# The states of all nodes, as node $1 sees them.
tree_states() {
    ask "$1" snmpbulkwalk -Oqv dcampTreeState || true
}

# wait_tree N: until node 1 has seen so many nodes up.
wait_tree() {
    local i
    for ((i = 0; i < 120 + ${#ids[@]}; i++)); do
        [[ $(tree_states 1 | grep -c '^up$') -lt $1 ]] || return 0
        sleep 0.5
    done
    return 1
}

# -- Who is what -----------------------------------------------------------------------------

# The role of node $1, or that it is down: one whose dcampd runs has more than one second to say.
role_names=(down base metric collector root) # by their numbers in DcampRole
role_of() {
    # shellcheck disable=SC2034 # pid is the answer of find_process
    local i pid number=''
    for ((i = 0; i < 4; i++)); do
        find_process "dcampd-$1" || break
        number=$(ask_number "$1" "$role_oid") || true
        [[ $number != [1-4] ]] || break
    done
    [[ $number == [1-4] ]] || number=0
    echo "${role_names[number]}"
}

# One line for each node, "ROLE ID", in their order. They are asked at the same time.
roles() {
    local id role n=0
    for id in "${ids[@]}"; do
        role_of "$id" >"$run/client/role.$id" &
        ((++n % 16)) || wait
    done
    wait
    for id in "${ids[@]}"; do
        read -r role <"$run/client/role.$id"
        echo "$role $id"
    done
}

# Nodes by what they are: DCAMP_LAB_ROOT, _COLLECTOR_1 ..., _NODE_1 ..., _BASE_1 ..., _DOWN_1 ...
print_tree() {
    local role id suffix name
    declare -A count=()
    while read -r role id; do
        count[$role]=$((${count[$role]:-0} + 1))
        suffix=${role^^}_${count[$role]}
        [[ $suffix != ROOT_1 ]] || suffix=ROOT
        [[ $role != metric ]] || suffix=${count[$role]}
        print_node "$id" "$suffix"
        find_name "$id"
        assign "DCAMP_LAB_NAME_$suffix" "$name"
    done < <(roles)
    print_etcd
    assign DCAMP_LAB_TREE "$dir/tree.xml"
    [[ $announce == no ]] || assign DCAMP_LAB_ANNOUNCE "udp:127.0.0.1:$announce_port"
    assign DCAMP_LAB_FIRST "udp:127.0.0.1:${ports[1]}"
}

# The number of the node that is root, collectorN or metric node N at present.
find_role() {
    local role=metric which=${1#collector}
    case $1 in
    root) role=root which=1 ;;
    collector*) role=collector ;;
    esac
    roles | awk -v role="$role" -v which="$which" '$1 == role && ++n == which { print $2 }'
}
