# shellcheck shell=bash
# What `complete` and `growth` sample: 500 processes, five programs of which are wanted. To be
# sourced after common.sh, which sets build and work.

build=${build:-}
work=${work:-}
processes=500
programs=(bench-cron bench-db bench-log bench-mail bench-web)
declare -A members=([bench-cron]=1 [bench-db]=4 [bench-log]=1 [bench-mail]=2 [bench-web]=8)

need "$build/tests/bench/crowd" "build it first (make bench)"

# start_program NAME PROCESSES [CHURN]: a program is known by the file that it is executed from.
start_program() {
    local name=$1
    shift
    mkdir -p "$work/bin"
    cp "$build/tests/bench/crowd" "$work/bin/$name"
    background "$work/$name.log" "$work/bin/$name" "$@"
}

# start_crowd [CHURN]: of the processes of a program, so many are replaced in each second, as far
# as there are so many.
start_crowd() {
    local name others=$processes churn=${1:-0}
    for name in "${programs[@]}"; do
        start_program "$name" "${members[$name]}" \
            $((churn < members[$name] ? churn : members[$name] - 1))
        others=$((others - members[$name]))
    done
    start_program bench-idle "$others" "$churn"
}

# program_sensors: one for each metric, on the five programs.
program_sensors() {
    local sensor=('    <sensor name="bench.%s" metric="proc.%s" calculation="%s"'
        "instances=\"${programs[*]}\"" 'interval="1s" filter="default"/>\n')
    # shellcheck disable=SC2059 # it is made here
    printf "${sensor[*]}" \
        cpu cpu percent \
        cpu.user cpu.user percent \
        cpu.system cpu.system percent \
        faults.minor faults.minor rate \
        faults.major faults.major rate \
        rss rss basic \
        vsize vsize basic \
        threads threads basic \
        io.read.bytes io.read.bytes rate \
        io.write.bytes io.write.bytes rate \
        count count basic
}

# complete_configuration: what conf/dcamp.xml has, and the sensors of the programs and of standard
# input.
complete_configuration() {
    { program_sensors && cat; } >"$work/sensors"
    every_second . "$work/sensors"
}
