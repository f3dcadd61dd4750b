# shellcheck shell=bash
# What dcampd sees from within its unit, beside what the same daemon sees outside of it: for the script
# inside, which sets node and has get and the assertions.
#
# Every metric is a sensor, with all instances; programs also by owner and by service. A line of the
# unit that hides one of them is a fault: a sensor without values raises no alarm.

node=${node:-} work=${work:-}

# every_metric: a configuration.
every_metric() {
    echo '<dcamp version="1"><node name="view"/><sensors>'
    # shellcheck disable=SC2016 # the quotes are those of Markdown
    dcampd --list-metrics | sed -n 's/^| `\([a-z0-9.]*\)` .*/\1/p' | while read -r metric; do
        case $metric in
        proc.*) echo "<sensor name=\"$metric\" metric=\"$metric\" interval=\"1s\"
            instances=\"snmpd user:Debian-snmp user:root cgroup:snmpd.service\"/>" ;;
        *) echo "<sensor name=\"$metric\" metric=\"$metric\" interval=\"1s\"/>" ;;
        esac
    done
    echo '</sensors></dcamp>'
}

# column NAME: "sensor instance cell", of all series.
column() {
    snmpbulkwalk -OqU -m DCAMP-MIB "$node" "DCAMP-MIB::dcampValue$1" |
        sed -n 's/^DCAMP-MIB::dcampValue[A-Za-z]*\."\([^"]*\)"\."\([^"]*\)" \(.*\)/\1 \2 \3/p' | sort
}

# series: their states, but for those of the service that one of the two is. What looks for JVMs is another
# instance of its unit each time that dcampd connects, and the longer its number is, the more is cut off at the front of its name.
series() {
    column State | grep -v ' system.slice/dcampd.service ' | sed "s/ [^ ]*dcamp-jvm@[0-9-]*\.service / dcamp-jvm@.service /" | sort
}

# steady: the values of what does not change.
steady() {
    column Text | grep -E '^(cpu.count|fs.readonly|fs.size|fs.inodes|mem.total|net.mtu|proc.count) ' |
        grep -v ' user:root '
}

# settled: what there is does not change any more, and nothing waits.
settled() {
    series >"$work/now"
    sleep 2
    [[ $(wc -l <"$work/now") -gt 50 ]] && ! grep -q 'waiting' "$work/now" && series | cmp -s - "$work/now"
}

compare_views() {
    local outside
    every_metric >"$work/every.xml"
    cp /etc/dcamp/dcamp.xml "$work/dcamp.xml"
    cp "$work/every.xml" /etc/dcamp/dcamp.xml
    systemctl restart dcampd
    eventually "all metrics are there, in the unit" 30 settled
    cp "$work/now" "$work/in"
    steady >"$work/in.values"

    # The same account and its groups, and nothing of the unit but the directory of the state.
    systemctl stop dcampd
    setpriv --reuid dcamp --regid dcamp --init-groups --inh-caps -all --bounding-set -all \
        dcampd --foreground 2>"$work/outside.log" &
    outside=$!
    eventually "and outside of it" 30 settled
    cp "$work/now" "$work/out"
    steady >"$work/out.values"
    kill "$outside"
    wait "$outside" || true

    is "each has the same instances in the same state" "$(diff "$work/out" "$work/in" | grep '^[<>]')" ""
    is "and the same values, where they stand still" \
        "$(diff "$work/out.values" "$work/in.values" | grep '^[<>]')" ""
    ok "a volume of its own below /home is one of them" grep -q '^fs.used /home valid' "$work/in"
    ok "owners are known" grep -q '^proc.count user:Debian-snmp [1-9]' "$work/in.values"
    cp "$work/dcamp.xml" /etc/dcamp/dcamp.xml
    systemctl start dcampd
}
