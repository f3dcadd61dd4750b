# shellcheck shell=bash
# Assertions of tests that are scripts; they speak TAP, and finish exits with 1 if one has failed.

asserted=0
failed=0

# report STATUS DESCRIPTION [DIAGNOSTIC]: 0 is a success. Always succeeds itself.
report() {
    asserted=$((asserted + 1))
    if [[ $1 -eq 0 ]]; then
        echo "ok $asserted - $2"
        return
    fi
    failed=$((failed + 1))
    echo "not ok $asserted - $2"
    [[ -z ${3:-} ]] || echo "#   ${3//$'\n'/$'\n'#   }"
}

# ok DESCRIPTION COMMAND...
ok() {
    local description=$1 output status=0
    shift
    output=$("$@" 2>&1) || status=$?
    report "$status" "$description" "$* : status $status"$'\n'"$output"
}

# is DESCRIPTION ACTUAL EXPECTED
is() {
    local status=0
    [[ $2 == "$3" ]] || status=1
    report "$status" "$1" "is:       $2"$'\n'"expected: $3"
}

# within SECONDS COMMAND...: repeats it until it succeeds. Between two attempts it pauses as long as one takes,
# from a tenth to half a second: on a slow machine, those who wait leave the processors to those for whom they
# wait. An attempt takes away half a second at the most: a machine that stands still for a while, or is slow,
# leaves as many attempts. Four times as long is the end all the same. Where DCAMP_TEST_PATIENCE is set, all
# that is so many times as long: as in CI, whose machine does other things at the same time. What is called
# sees these variables, hence their names.
within() {
    local within_left=$(($1 * ${DCAMP_TEST_PATIENCE:-1} * 1000000)) within_now=${EPOCHREALTIME/[.,]/}
    local within_took within_pause
    local within_end=$((within_now + 4 * within_left))
    shift
    until "$@" >/dev/null 2>&1; do
        ((within_left > 0 && within_now < within_end)) || return 1
        within_pause=$((${EPOCHREALTIME/[.,]/} - within_now))
        within_pause=$((within_pause < 100000 ? 100000 : within_pause > 500000 ? 500000 : within_pause))
        sleep "0.$within_pause"
        within_took=$((${EPOCHREALTIME/[.,]/} - within_now))
        within_now=$((within_now + within_took))
        within_left=$((within_left - (within_took < 500000 ? within_took : 500000)))
    done
}

# eventually DESCRIPTION SECONDS COMMAND...: less than twenty are twenty. Who has waited so long for what takes one
# finds a fault, and else a machine that does other things.
eventually() {
    local description=$1 seconds=$(($2 < 20 ? 20 : $2)) status=0
    shift 2
    within "$seconds" "$@" || status=1
    report "$status" "$description" "not within $seconds $*"
}

not() {
    ! "$@"
}

finish() {
    echo "1..$asserted"
    [[ $failed -eq 0 ]] || exit 1
    exit 0
}
