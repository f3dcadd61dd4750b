#!/usr/bin/env bash
# The completion of dcamp for bash, and that for zsh where there is one: what is offered at each place
# is what dcamp has, and what a real node and a tree have.
# shellcheck disable=SC2016 # what eval and zsh get is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

export DCAMP=${DCAMP_BUILD:-$top/build}/dcamp DCAMP_ROOT=r1
mkdir "$work/bin"
# The root of a tree, which takes more than one node; all else is the real one.
cat >"$work/bin/dcamp" <<'END'
#!/bin/sh
[ "$1" != tree ] || { [ "$*" = "tree --tsv -t 1 -- r1" ] || [ "$*" = "tree --tsv -t 1 r1" ]; } || exit 1
[ "$1" != tree ] || exec printf 'name\trole\nr1\troot\nweb1\tmetric\nweb2\tmetric\n'
exec "$DCAMP" "$@"
END
chmod +x "$work/bin/dcamp"
PATH=$work/bin:$PATH
start_lab
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
# shellcheck source=../../conf/completions/dcamp
. "$top/conf/completions/dcamp"

# offers DESCRIPTION EXPECTED WORD...: words of a node that is asked for them. It has a second to
# answer, for nobody waits longer at a prompt; a busy machine may need more than one attempt.
offers() {
    local description=$1 expected=$2
    shift 2
    is_offered() {
        [[ $(offered "$@") == "$expected" ]]
    }
    eventually "$description" 10 is_offered "$@"
}

# offered WORD...: what the last of the words of a line may become. As readline has it, ':' is a word
# of its own.
offered() {
    COMP_WORDS=(dcamp "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _dcamp
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}

subcommands=$("$DCAMP" --help | sed -nE 's/^(usage:|      ) dcamp ([a-z]+) .*/\2/p' | sort -u | tr '\n' ' ')
is "all subcommands" "$(offered '')" "$subcommands"
is "one that has begun" "$(offered pro)" "promote "
is "of two words the second" "$(offered config '')" "check diff push rollback show "
is "of key, too" "$(offered key '')" "revoke rotate "
is "a long option with all its words" "$(offered key rotate --new-se)" "--new-secrets "
is "users behind the node" "$(offered key rotate r1 dcampP)" "dcampPoll "
is "and of export" "$(offered export '')" "icinga nagios prometheus snmptrapd zabbix "
is "options" "$(offered promote --wai)" "--wait "
is "of two words, too" "$(offered export zabbix --tok)" "--token-file "
is "short ones, too" "$(offered promote -f)" "-f "
ok "every option of the help" eval \
    '[[ $(offered promote -) == *"--below "*"--changes "*"--config "*"--json "*"--since "*"--verbose "* ]]'
touch "$work/tree.xml"
is "files" "$(cd "$work" && offered promote --config tr)" "tree.xml "
is "directories" "$(cd "$work" && offered doctor --root b)" "bin "
is "nodes of the tree" "$(offered status '')" "r1 web1 web2 "
is "also behind options" "$(offered config push --config x --wait 3 web)" "web1 web2 "
is "of config show as well" "$(offered config show web)" "web1 web2 "
is "of config diff" "$(offered config diff --config x web)" "web1 web2 "
is "and of config rollback" "$(offered config rollback web)" "web1 web2 "
is "behind alarms nodes and subcommands" "$(offered alarms '')" \
    "acknowledge history list maintenance r1 web1 web2 "
is "behind both of them nodes" "$(offered alarms acknowledge web)" "web1 web2 "
is "what a maintenance may do" "$(offered alarms maintenance web1 '')" "end list start "
is "and of what" "$(offered alarms maintenance web1 start night 2h '')" "nodes thresholds "
is "and of export" "$(offered export nagios --output f web)" "web1 web2 "
here=(-U lab --secrets "$work/secrets" "${node%:*}" : "${node##*:}")
offers "sensors of a node" "cpu.busy " get "${here[@]}" cpu.b
offers "their instances" "total " watch "${here[@]}" cpu.busy to
offers "thresholds" "cpu-busy " thresholds "${here[@]}" cpu
offers "and to be set" "cpu-busy " set "${here[@]}" threshold cpu
threshold always Sensor=cpu.busy Instances=total Operator=ge Limit=0 Severity=info >/dev/null
eventually "there is an alarm" 15 alarm_of node1:always:total
offers "keys of alarms" "node1:always:total " alarms acknowledge "${here[@]}" no
offers "also behind a colon" "always:total " alarms acknowledge "${here[@]}" node1 :
offers "and behind a word that has begun there" "total " alarms acknowledge "${here[@]}" node1 : always : to
"$DCAMP" alarms maintenance -U lab --secrets "$work/secrets" "$node" start night 2h >"$work/started"
offers "maintenances that may end" "night " alarms maintenance "${here[@]}" end ni
is "kinds of rows" "$(offered set "${here[@]}" thr)" "threshold "
is "nobody answers" "$(offered get -U lab --secrets "$work/secrets" 127.0.0.1 : 9 cpu)" " "

# -- zsh: its functions of completion say what they are given ----------------------------------
zsh=${ZSH:-$(type -P zsh || true)}
offered_zsh() {
    "$zsh" -f -c 'compadd() { shift; print -l -- ${(M)@:#$PREFIX*} }; _files() { print files $@ }
words=("$@[2,-1]") CURRENT=$(($# - 1)) PREFIX=$argv[-1]
source $1' zsh "$top/conf/completions/_dcamp" dcamp "$@" | sort | tr '\n' ' '
}
if [[ -n $zsh ]]; then
    is "zsh: all subcommands" "$(offered_zsh '')" "$subcommands"
    is "zsh: of two words the second" "$(offered_zsh config '')" "check diff push rollback show "
    is "zsh: options" "$(offered_zsh promote --wai)" "--wait "
    is "zsh: files" "$(offered_zsh promote --config '')" "files "
    is "zsh: nodes of the tree" "$(offered_zsh status web)" "web1 web2 "
fi
finish
