#!/usr/bin/env bash
# arguments.sh: what every subcommand of dcamp says of arguments that are wrong, and of what is not there: a
# file, a host, somebody who listens. That is one line on the standard error which names it, nothing
# on the standard output, and the status that dcamp(1) has for it. Which subcommands there are and
# what they take is read from dcamp --help, so that no new one is forgotten.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# Whatever runs here is nobody's, and nothing of this machine's: dcamp init as root would prepare it.
home=$(mktemp -d /tmp/dcamp-arguments.XXXXXX)
temporary+=("$home")
build=${DCAMP_BUILD:-$top/build}
cp "$build/dcamp" "$build/dcampd" "$top"/conf/{*.xsd,tree.xml} "$home"
printf 'auth authentic\npriv private!\n' >"$home/secrets"
: >"$home/empty"
mkdir -p "$home/cert_indexes" # which the library tells of when it makes it
chmod 755 "$home" "$home"/dcamp{,d}
printf 'auth authentic too\npriv private too!\n' >"$home/new.secrets"
chmod 600 "$home/secrets" "$home/new.secrets"
as=()
if [[ $EUID -eq 0 ]]; then
    as=(setpriv --reuid nobody --regid nogroup --clear-groups)
    chown nobody "$home" "$home"/{secrets,new.secrets,cert_indexes}
fi
export HOME=$home SNMPCONFPATH=$home SNMP_PERSISTENT_DIR=$home DCAMP_SCHEMA_DIR=$home PATH=$home:$PATH
export RES_OPTIONS="timeout:1 attempts:1" # a name that there is not is given up soon
login=(-U lab --secrets "$home/secrets" -t 2)

# Somebody who never answers.
coproc python3 -c 'import socket, sys
hole = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
hole.bind(("127.0.0.1", 0))
print(hole.getsockname()[1], flush=True)
sys.stdin.read()'
read -r silent <&"${COPROC[0]}"

# try ARGUMENT...: what it prints, what it says, its status.
try() {
    code=0
    timeout -k 1 60 "${as[@]}" dcamp "$@" >"$work/out" 2>"$work/said" </dev/null || code=$?
}

# reported_as EXPECTED PATTERN GOOD ARGUMENT...: GOOD is 0 where that came of it.
reported_as() {
    local line="dcamp ${*:4}" why=''
    [[ $3 -eq 0 ]] || why="status $code, expected $1, $2"$'\n'$(cat "$work/said" "$work/out")
    report "$3" "${line:0:100}" "$why"
}

# is_refused STATUS PATTERN ARGUMENT...: whether that came of it. Nothing runs for it, of a thousand cases.
is_refused() {
    local lines good=0
    mapfile lines <"$work/said"
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq $1 && ${lines[0]:-} == $2$'\n' && ${#lines[@]} -eq 1 && ! -s $work/out ]] || good=1
    reported_as "$1" "$2" "$good" "${@:3}"
}

refused() {
    try "${@:3}"
    is_refused "$@"
}

# refused_later STATUS PATTERN ARGUMENT...: the same of those who wait for an answer, all at once: settle
# tells what came of them.
later=()
refused_later() {
    local work=$work/later.${#later[@]}
    mkdir "$work"
    printf '%s\0' "$@" >"$work/words"
    {
        try "${@:3}"
        echo "$code" >"$work/code"
    } &
    later+=($!)
}

settle_one() {
    local work=$1 words
    code=$(<"$work/code")
    mapfile -d '' words <"$work/words"
    is_refused "${words[@]}"
}

settle() {
    local i
    for i in "${!later[@]}"; do
        wait "${later[i]}" || true
        settle_one "$work/later.$i"
    done
}

# reported PATTERN ARGUMENT...: what looks for faults has found one, prints it as it prints the others,
# and has nothing else to say.
reported() {
    local pattern=$1 good=0
    shift
    try "$@"
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq 1 && $(<"$work/out") == $pattern && ! -s $work/said ]] || good=1
    reported_as 1 "$pattern" "$good" "$@"
}

# -- The subcommands -------------------------------------------------------------------------

# What stands for the words of the help; of those that are not here "word" does.
declare -A values=([FILE]=$home/tree.xml [INDEX\|KEY...]=17 [SENSOR]=cpu.busy [KIND]=threshold [NAME]="hot limit 90")

# take USAGE: a line of the help, without "dcamp": name, sub, must, rest.
take() {
    local before=${1%%" [OPTION]..."*}
    name=${before%%" --"*}
    rest=${1#*"[OPTION]..."}
    rest=${rest# }
    read -r -a sub <<<"$name"
    read -r -a must <<<"${before#"$name"}"
    case $before in
    *--new-secrets*) must=("${must[@]/#FILE/$home/new.secrets}") ;;
    *) must=("${must[@]/#FILE/$home/tree.xml}") ;;
    esac
}

asks() {
    [[ $rest == *ADDRESS* ]]
}

needs_something() {
    [[ ${#must[@]} -gt 0 || -n ${rest%%\[*} ]]
}

# whole ADDRESS: in words, the subcommand with all that it needs, and the address also where it may be
# left out.
whole() {
    local word all=${rest/"[ADDRESS"/"ADDRESS ["}
    values[ADDRESS]=$1
    words=("${sub[@]}" "${must[@]}")
    for word in ${all%%\[*}; do
        # shellcheck disable=SC2206 # several words
        words+=(${values[$word]:-word})
    done
}

# -- Arguments that are wrong ----------------------------------------------------------------

nothing() {
    if needs_something; then
        refused 2 "dcamp: $name: *" "${sub[@]}"
    elif asks; then
        refused 2 "dcamp: -U is missing*" "${sub[@]}"
    else
        refused 2 "dcamp: $name *" "${sub[@]}"
    fi
}

options() {
    local other=--since
    [[ $name != alarms* ]] || other=--wait
    whole 127.0.0.1:9
    refused 2 'dcamp: --nonsense: no such option*' "${words[@]}" --nonsense
    refused 2 'dcamp: -y: no such option*' "${sub[@]}" -y
    refused 2 'dcamp: --timeout needs a value*' "${words[@]}" --timeout
    refused 2 'dcamp: -t 0: expected 1 to 3600 seconds*' -t 0 "${words[@]}"
    refused 2 'dcamp: -l noAuthNoPriv: expected authPriv*' "${words[@]}" -l noAuthNoPriv
    refused 2 'dcamp: -A ...: expected a passphrase *' "${words[@]}" -A hidden
    refused 2 "dcamp: $other: no option of $name *" "${words[@]}" "$other" 1000
    refused 2 "dcamp: $name*expected *" "${words[@]}" "${login[@]}" {1..101}
}

addresses() {
    local address
    for address in '' ':161' '[::1' 127.0.0.1: 127.0.0.1:0 127.0.0.1:99999 127.0.0.1:snmp; do
        whole 127.0.0.1:9
        words=("${words[@]/#127.0.0.1:9/$address}")
        refused 2 "dcamp: address $address: expected HOST or HOST:PORT*" "${login[@]}" "${words[@]}"
    done
}

# -- What is not there -----------------------------------------------------------------------

files() {
    whole 127.0.0.1:9
    refused 2 'dcamp: /nowhere/secrets: *No such file*' "${words[@]}" -U lab --secrets /nowhere/secrets
    refused 2 "dcamp: $home: is not a regular file*" "${words[@]}" -U lab --secrets "$home"
    refused 2 "dcamp: $home/empty: *" "${words[@]}" -U lab --secrets "$home/empty"
    refused 2 "dcamp: -U is missing*" "${words[@]}" --secrets "$home/secrets"
    refused 2 "dcamp: --secrets is missing*" "${words[@]}" -U lab
}

# configs WORD...: of one that takes --config.
configs() {
    refused 2 'dcamp: /nowhere/tree.xml: No such file or directory' "$@" --config /nowhere/tree.xml
    refused 2 "dcamp: $home: Is a directory" "$@" --config "$home"
    refused 2 "dcamp: $home/empty: it is empty" "$@" --config "$home/empty"
}

named_files() {
    local file
    for file in /nowhere/tree.xml "$home" "$home/empty"; do
        values[FILE]=$file
        whole 127.0.0.1:9
        refused 2 "*$file:*" "${words[@]}"
    done
    values[FILE]=$home/tree.xml
}

nodes() {
    whole host.invalid
    refused_later 3 'dcamp: host.invalid: *' "${login[@]}" "${words[@]}"
    whole 127.0.0.1:9
    refused 3 'dcamp: udp:127.0.0.1:9: Connection refused' "${login[@]}" "${words[@]}"
    whole "127.0.0.1:$silent"
    refused_later 3 "dcamp: udp:127.0.0.1:$silent: no answer" "${login[@]}" -t 1 "${words[@]}"
}

# Nobody has to know how to log in for his faults to be found.
faults() {
    whole host.invalid
    reported '*BAD *host.invalid: *cure: *' "${words[@]}"
    whole 127.0.0.1:9
    reported '*BAD *Connection refused*cure: *' "${words[@]}" -U lab --secrets /nowhere/secrets
    whole "127.0.0.1:$silent"
    reported '*BAD *no answer*cure: *' "${login[@]}" -t 1 "${words[@]}"
}

# -- All of them -----------------------------------------------------------------------------

"${as[@]}" dcamp --help >"$work/help"
# What stands behind load is read by dcamp-load, which load.sh tests.
sed -nE 's/^(usage:|      ) dcamp //p' "$work/help" | grep -v '^load ' >"$work/usages"
ok "the help has subcommands" test "$(wc -l <"$work/usages")" -ge 18
refused 2 'dcamp: the subcommand is missing; there is *'
refused 2 'dcamp: : no such subcommand*' ''
refused 2 'dcamp: statsu: no such subcommand; did you mean "status"*' statsu
refused 2 'dcamp: config: no such subcommand; there is config push, *' config
refused 2 'dcamp: config psuh: no such subcommand; there is config push, *' config psuh
while read -r usage <&3; do
    take "$usage"
    [[ $name =~ ^(doctor|run list|run stop)$ ]] || nothing
    options
    ! asks || addresses
    [[ $rest != *FILE* ]] || named_files
    if [[ $name == doctor ]]; then
        faults
    elif asks; then
        files
        nodes
    fi
    whole 127.0.0.1:9
    try "${login[@]}" "${words[@]}" --config /nowhere
    ! asks || grep -q 'no option of' "$work/said" || configs "${login[@]}" "${words[@]}"
done 3<"$work/usages"
settle
eval "exec ${COPROC[1]}>&-"
finish
