#!/usr/bin/env bash
# jvm.sh: what is read in the performance data of real JVMs, with each of their collectors. A copy of
# the file is given to jstat, which reads such files, too: each number must be the same. What jcmd and
# the options say of the JVM is compared with it as well. Skipped without a JDK: 250 MB are too much to
# install for it.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

for tool in java javac jstat jcmd; do
    if [[ -z $(type -P "$tool") ]]; then
        echo "1..0 # SKIP $tool is not installed"
        exit 77
    fi
done
reader=${DCAMP_BUILD:-$top/build}/tests/integration/read-jvm
files=/tmp/hsperfdata_$(id -un)

# start OPTION...: the JVM is $jvm then, and has done what it does.
start() {
    : >"$work/out"
    java -Xmx64m "$@" -cp "$work/classes" Orders --password secret >"$work/out" 2>&1 &
    jvm=$!
    jobs_started+=("$jvm")
    within 60 grep -q '^waits' "$work/out" || true
}

stop() {
    kill "$jvm"
    wait "$jvm" || true
}

# The numbers of jstat, by the same names as those of the reader: sums are made here.
by_jstat() {
    jstat -J-Djstat.showUnsupported=true -snap "file://$1" | awk -F= '
    { entry[$1] = $2 }
    $1 ~ /^sun\.gc\.generation\.[01]\.space\.[0-9]\.used$/ { used += $2 }
    function of(name, key) { printf "%s %d\n", name, entry[key] }
    END {
        printf "heap.used %d\n", used
        of("metaspace.used", "sun.gc.metaspace.used")
        of("metaspace.capacity", "sun.gc.metaspace.capacity")
        of("threads", "java.threads.live")
        of("threads.daemon", "java.threads.daemon")
        of("threads.peak", "java.threads.livePeak")
        of("threads.started", "java.threads.started")
        printf "classes %d\n", entry["java.cls.loadedClasses"] + entry["java.cls.sharedLoadedClasses"] \
            - entry["java.cls.unloadedClasses"] - entry["java.cls.sharedUnloadedClasses"]
        of("jit.time", "java.ci.totalTime")
        of("safepoint.time", "sun.rt.safepointTime")
        of("safepoints", "sun.rt.safepoints")
        for (i = 0; i < 8; i++) {
            prefix = "sun.gc.collector." i "."
            if (prefix "name" in entry)
                printf "collector %d %d %s\n", entry[prefix "invocations"], entry[prefix "time"], \
                    substr(entry[prefix "name"], 2, length(entry[prefix "name"]) - 2)
        }
    }'
}

by_reader() {
    "$reader" "$1" | grep -vE '^(name|last-collection|heap\.max) '
}

# value NAME: of the JVM that runs, now.
value() {
    "$reader" "$files/$jvm" | sed -n "s/^$1 //p"
}

collections() {
    value collector | awk '{ n += $1 } END { print n + 0 }'
}

more_collections_than() {
    [[ $(collections) -gt $1 ]]
}

mkdir "$work/classes"
javac -d "$work/classes" "$top/tests/integration/Orders.java"

# check COLLECTOR LAST: LAST is 1 where the used octets of the heap are of the last collection.
check() {
    local before
    start "-XX:+Use$1GC"
    cp "$files/$jvm" "$work/copy"
    is "$1: jstat reads the same" "$(by_reader "$work/copy")" "$(by_jstat "$work/copy")"
    is "$1: name without arguments" "$(value name)" Orders
    is "$1: largest heap, by jcmd" "$(value heap.max)" \
        "$(jcmd "$jvm" VM.flags | grep -o ':MaxHeapSize=[0-9]*' | cut -d= -f2)"
    is "$1: of the last collection" "$(value last-collection)" "$2"
    ok "$1: the 4 MB that it keeps are used" test "$(value heap.used)" -ge 4000000
    ok "$1: and not more than there may be" test "$(value heap.used)" -le "$(value heap.max)"
    before=$(collections)
    jcmd "$jvm" GC.run >/dev/null
    eventually "$1: a collection more is counted" 30 more_collections_than "$before"
    stop
}

# Until JDK 24, a sampler looks at the heap between collections.
sampled=0
[[ $(java -version 2>&1 | sed -n '1s/.*"\([0-9]*\).*/\1/p') -le 24 ]] || sampled=1
check Serial "$sampled"
check Parallel "$sampled"
check G1 0
check Z 1

start -XX:-UsePerfData
ok "a JVM that does not count has no file" not test -e "$files/$jvm"
stop
printf '\312\376\300\300\001\003\000\001%024d' 0 >"$work/other"
is "another version is refused, and says why" "$("$reader" "$work/other" 2>&1)" \
    "read-jvm: The layout of the file is of version 3.0, and only 2 is known."
finish
