# shellcheck shell=bash
# What tests of programs in Java share. Before it is sourced, $top and $build are set, and assert.sh was.
# shellcheck disable=SC2154 # that is build

java=$(type -P java || true)
javac=$(sed -n 's/^JAVAC = //p' "$build/Makefile")
jar=$build/dcamp-agent.jar
reader=$build/tests/integration/read-segment
export LC_ALL=C.UTF-8
if [[ -z $java || ! -e $jar ]]; then
    echo "1..0 # SKIP there is no java, or dcamp-agent.jar is not built"
    exit 77
fi
work=$(mktemp -d "${DCAMP_TEST_DIR:-/tmp}/dcamp-test.XXXXXX")
held='' # a process that hold has started
end_java() {
    local status=$?
    [[ -z $held ]] || kill -KILL "$held" 2>/dev/null || true
    rm -rf "$work"
    exit "$status"
}
trap end_java EXIT

# compile NAME FILE...: into $work/NAME.
compile() {
    local name=$1
    shift
    "$javac" -Xlint:all -Werror -cp "$jar" -d "$work/$name" "$@"
}

# compile_plain NAME FILE...: a program that knows nothing of dCAMP.
compile_plain() {
    local name=$1
    shift
    "$javac" -Xlint:all,-serial -Werror -d "$work/$name" "$@"
}

# in_apps NAME COMMAND...: with a directory of its own for the segments.
in_apps() {
    local apps=$work/apps/$1
    shift
    mkdir -p "$apps"
    DCAMP_APPS=$apps "$@"
}

# hold NAME COMMAND...: the same in the background, with its input open; what it prints is in $work/out, and
# $held is the process.
hold() {
    local apps=$work/apps/$1
    shift
    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    mkdir -p "$apps"
    : >"$work/out"
    DCAMP_APPS=$apps "$@" <"$work/pipe" >"$work/out" 2>&1 &
    held=$!
    exec {to_held}>"$work/pipe"
}

# release: its input ends, and so does it.
release() {
    exec {to_held}>&-
    wait "$held" || report 1 "the program ends in order" "$(tail -n 20 "$work/out")"
    held=''
}

# wait_for_line PATTERN: in what is held prints.
wait_for_line() {
    within 120 grep -q "$1" "$work/out" || report 1 "the program says $1" "$(tail -n 20 "$work/out")"
}

# read_segment NAME: what is in the segment of that directory, as read-segment says it.
read_segment() {
    "$reader" "$work/apps/$1"/*
}
