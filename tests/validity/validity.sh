# shellcheck shell=bash
# What the parts of the validity test share: a node with sensors of their own, its values at a
# moment that is known to lie after another, and rows of a table with a verdict.
# shellcheck source=../integration/common.sh
. "$top/tests/integration/common.sh"

rows=$work/rows # of the table of this part, in Markdown
n_rows=0
# shellcheck disable=SC2034 # tools.sh sets it, too
truth=known # what the published value is compared with

unusable() {
    echo "run: $*" >&2
    exit 2
}

# -- Rows ------------------------------------------------------------------------------------

# judge WHAT UNIT KNOWN PUBLISHED DEVIATION BOUND VERDICT
judge() {
    n_rows=$((n_rows + 1))
    [[ $7 == pass ]] || failed=$((failed + 1))
    printf '%s %s: %s %s, published %s %s, deviation %s, bound %s\n' "${7^^}" "$1" "$truth" "$3" "$4" "$2" "$5" "$6"
    [[ $7 == pass ]] || set -- "${@:1:6}" '**FAIL**'
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$@" >>"$rows"
}

# row WHAT UNIT KNOWN PUBLISHED KIND [LIMIT]: KIND is exact, or the deviation may be LIMIT percent
# or points.
row() {
    local known published deviation bound verdict
    read -r known published deviation bound verdict < <(awk -v known="$3" -v published="$4" -v kind="$5" -v limit="${6:-0}" '
        function short(x) { return x ~ /\./ ? sprintf("%.4f", x) : x }
        BEGIN {
            off = published - known
            printf "%s %s ", short(known), short(published)
            if (published !~ /^-?[0-9.]+(e[+-]?[0-9]+)?$/ || known !~ /^-?[0-9.]+(e[+-]?[0-9]+)?$/)
                print "none", kind, "fail"
            else if (kind == "exact")
                printf "%.10g exact %s\n", off, off == 0 ? "pass" : "fail"
            else if (kind == "points")
                printf "%+.3f_points %g_points %s\n", off, limit, off <= limit && -off <= limit ? "pass" : "fail"
            else if (known == 0)
                print "none", kind, "fail"
            else {
                off *= 100 / known
                printf "%+.3f_%% %g_%% %s\n", off, limit, off <= limit && -off <= limit ? "pass" : "fail"
            }
        }')
    judge "$1" "$2" "$known" "$published" "${deviation//_/ }" "${bound//_/ }" "$verdict"
}

# row_between WHAT UNIT THEIRS LOW HIGH ROUNDING [PUBLISHED]: theirs must lie between what dcampd
# published just before and just after the other looked, give or take what the other rounds. Without
# PUBLISHED, the middle of these stands in the row.
row_between() {
    local published deviation bound verdict
    read -r published deviation bound verdict < <(awk -v theirs="$3" -v low="$4" -v high="$5" -v rounding="$6" -v published="${7:-}" '
        BEGIN {
            if (theirs !~ /^-?[0-9.]+(e[+-]?[0-9]+)?$/ || low !~ /^-?[0-9]/ || high !~ /^-?[0-9]/) {
                print "none none none fail"
                exit
            }
            if (low + 0 > high + 0) { swap = low; low = high; high = swap }
            if (published == "")
                published = (low + high) / 2
            off = theirs - published
            if (off < 1e-9 && off > -1e-9)
                off = 0
            low -= rounding
            high += rounding
            verdict = theirs >= low && theirs <= high ? "pass" : "fail"
            printf "%s %+.4g %s_to_%s %s\n", short(published), off, short(low), short(high), verdict
        }
        function short(x) { return sprintf(x == int(x) || x >= 1e9 ? "%.0f" : "%.3f", x) }')
    judge "$1" "$2" "$3" "$published" "$deviation" "${bound//_/ }" "$verdict"
}

skip() {
    echo "SKIP $1: $2"
    printf '| %s | | | | | | skipped: %s |\n' "$1" "$2" >>"$rows"
}

# -- Values ----------------------------------------------------------------------------------

# sensor NAME METRIC CALCULATION INTERVAL INSTANCES
sensor() {
    set_ "dcampSensorMetric.\"$1\"" s "$2" "dcampSensorCalculation.\"$1\"" i "$3" \
        "dcampSensorInterval.\"$1\"" u "$4" "dcampSensorInstances.\"$1\"" s "$5" \
        "dcampSensorStorageType.\"$1\"" i volatile \
        "dcampSensorRowStatus.\"$1\"" i createAndGo >/dev/null
}

# remove_sensors PREFIX
remove_sensors() {
    local name
    for name in $(walk dcampSensorRowStatus | sed -n 's/^[^.]*\."\('"${1//./\\.}"'[^"]*\)" .*/\1/p'); do
        set_ "dcampSensorRowStatus.\"$name\"" i destroy >/dev/null
    done
}

# values COLUMN PREFIX: of the sensors whose names begin so, as "sensor instance value".
values() {
    walk "dcampValue$1" | sed -n 's/^[^.]*\."'"${2//./\\.}"'\([^"]*\)"\."\(.*\)" \([^ ]*\)$/\1 \2 \3/p'
}

# settle PREFIX: until every series of these sensors was sampled after now.
settle() {
    local since asked oldest deadline=$((SECONDS + 20))
    since=$(now_ms)
    while :; do
        asked=$(now_ms)
        oldest=$(values Age "$1" | awk '$3 > oldest { oldest = $3 } END { print oldest + 0 }')
        ((asked - oldest <= since + 1)) || return 0
        ((SECONDS < deadline)) || unusable "dcampd does not sample any more"
        sleep 0.05
    done
}

# snapshot NAME PREFIX: everything done before now is in it.
snapshot() {
    settle "$2"
    values Text "$2" >"$work/$1"
}

# value NAME SENSOR INSTANCE: of a snapshot.
value() {
    awk -v sensor="$2" -v instance="$3" '$1 == sensor && $2 == instance { print $3 }' "$work/$1"
}

# grown FROM TO SENSOR INSTANCE: between two snapshots.
grown() {
    awk -v a="$(value "$1" "$3" "$4")" -v b="$(value "$2" "$3" "$4")" \
        'BEGIN { print a == "" || b == "" ? "none" : sprintf("%.15g", b - a) }'
}

# calculate EXPRESSION
calculate() {
    awk "BEGIN { printf \"%.15g\", $1 }"
}

# done_with PID...: they were waited for, and their numbers may be others' now.
done_with() {
    local pid left=()
    for pid in "${jobs_started[@]}"; do
        [[ " $* " == *" $pid "* ]] || left+=("$pid")
    done
    jobs_started=("${left[@]}")
}

# -- A network and a disk that nobody else uses -------------------------------------------------

# What is sent at one end of the pair is received at the other, and the address of nobody's card
# makes the kernel drop it there without an answer. Addresses: RFC 2544, for benchmarks.
net=vl$$
far=(198.18.77.2 198.18.77.6) # sent to from the first end, and from the second
make_network() {
    local end host=1
    ip link add "${net}a" type veth peer name "${net}b" 2>/dev/null || return 0
    have_network=yes
    for end in a b; do
        [[ ! -e /proc/sys/net/ipv6/conf/$net$end ]] || echo 1 >"/proc/sys/net/ipv6/conf/$net$end/disable_ipv6"
        ip link set "$net$end" multicast off
        ip address add "198.18.77.$host/30" dev "$net$end"
        ip link set "$net$end" up
        ip neighbour replace "198.18.77.$((host + 1))" lladdr "02:00:00:00:00:0$host" dev "$net$end" nud permanent
        host=$((host + 4))
    done
    [[ $(ip route get "${far[0]}") == *" dev ${net}a "* && $(ip route get "${far[1]}") == *" dev ${net}b "* ]] ||
        unusable "the addresses ${far[*]} are in use here"
}

make_disk() {
    truncate -s 256M "$disk_file"
    disk=$(losetup --find --show "$disk_file" 2>/dev/null) || return 0
    [[ -z $(type -P udevadm) ]] || udevadm settle -t 5 || true
}

have_network=no
disk=''
disk_file=$PWD/validity.$$.disk # not in /tmp, which may be in memory
plain_file=$PWD/validity.$$.file
temporary+=("$disk_file" "$plain_file")

remove_devices() {
    local status=$?
    trap '' INT TERM HUP
    end_background
    [[ $have_network == no ]] || ip link del "${net}a" || status=2
    [[ -z $disk ]] || losetup -d "$disk" || status=2
    # shellcheck disable=SC2181 # clean_up begins with that status
    if return_status "$status"; then
        clean_up
    else
        clean_up
    fi
}

return_status() {
    return "$1"
}
trap remove_devices EXIT
