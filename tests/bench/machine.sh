# shellcheck shell=bash
# What a benchmark was run on and beside, for the documents. Whoever sources this has top, of the sources.
top=${top:?}

cpu() {
    awk -F ': ' '/^model name/ { model = $2; n++ } END { print model ", " n " CPUs" }' /proc/cpuinfo
}

memory() {
    awk '$1 == "MemTotal:" { printf "%.1f GiB\n", $2 / 1048576 }' /proc/meminfo
}

system() {
    # shellcheck source=/dev/null
    echo "$(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -srm)"
}

version_of_collectd() {
    local collectd
    collectd=$(type -P collectd || echo /usr/sbin/collectd)
    "$collectd" -h 2>&1 | sed -n 's/^collectd \([0-9][^,]*\),.*/\1/p'
}

version_of_exporter() {
    local exporter
    exporter=$(type -P prometheus-node-exporter || echo /usr/bin/prometheus-node-exporter)
    "$exporter" --version 2>&1 | sed -n 's/^node_exporter, version \([^ ]*\).*/\1/p'
}

version_of_snmp_exporter() {
    local exporter
    exporter=$(type -P prometheus-snmp-exporter || echo /usr/bin/prometheus-snmp-exporter)
    "$exporter" --version 2>&1 | sed -n 's/^snmp_exporter, version \([^ ]*\).*/\1/p'
}

# The commit that the sources are at, if they are a checkout. What earlier benchmarks have written
# changes none of them.
commit() {
    local changed=
    git -C "$top" diff --quiet HEAD -- . ':!doc/benchmarks.md' ':!doc/scalability.*' ':!doc/transparency.*' 2>/dev/null || changed=-dirty
    git -C "$top" describe --always 2>/dev/null | sed "s/$/$changed/" | grep . || echo "none"
}
