#!/usr/bin/env bash
# The include rules of subagent/README: a stage includes base/, metric/ and its neighbours on the
# left; Net-SNMP's headers stay in agent/ and collect/, libxml2's in config/; no OID is typed in C.
# Of trapd-handlers/README: it includes base/ and the generated MIB only.
set -euo pipefail
cd "${srcdir:-$(dirname "$0")/../..}/subagent"

declare -A allowed=(
    [base]="base"
    [metric]="base metric"
    [sample]="base metric sample"
    [calculate]="base metric calculate"
    [filter]="base metric calculate filter"
    [aggregate]="base calculate aggregate"
    [collect]="base metric report collect dcamp_mib.h agent"
    [report]="base metric calculate report"
    [threshold]="base metric filter threshold"
    [alarm]="base metric threshold alarm"
    [config]="base metric calculate aggregate filter report threshold alarm config"
    [core]="base metric sample calculate aggregate collect filter report threshold alarm config core dcampd.h"
    [agent]="base metric calculate report threshold alarm config core agent dcampd.h dcamp_mib.h"
    [.]="base metric sample collect report alarm config core agent dcampd.h"
)

status=0
complain() {
    echo "$1"
    status=1
}

while IFS=: read -r file line included; do
    [[ $included =~ ^(base|trapd-handlers|agent/mib.h$|dcamp_mib.h$) ]] ||
        complain "trapd-handlers/$file:$line: must not include $included (allowed: base agent/mib.h dcamp_mib.h)"
done < <(cd ../trapd-handlers && grep -noP '^\s*#\s*include "\K[^"]+' ./*.[ch] | sed 's|^\./||')

while IFS=: read -r file line included; do
    room=$(dirname "$file")
    target=${included%%/*}
    [[ -n ${allowed[$room]:-} ]] || { complain "$file: no rule for the room $room"; continue; }
    [[ " ${allowed[$room]} " == *" $target "* ]] ||
        complain "subagent/$file:$line: $room must not include $included (allowed: ${allowed[$room]})"
done < <(grep -rnoP '^\s*#\s*include "\K[^"]+' --include='*.[ch]' . | sed 's|^\./||')

while IFS=: read -r file line _; do
    [[ $file == agent/* || $file == collect/* ]] ||
        complain "subagent/$file:$line: Net-SNMP belongs in agent/ and collect/"
done < <(grep -rn '#include <net-snmp' --include='*.[ch]' . | sed 's|^\./||')

while IFS=: read -r file line _; do
    [[ $file == config/* ]] || complain "subagent/$file:$line: libxml2 belongs in config/"
done < <(grep -rn '#include <libxml' --include='*.[ch]' . | sed 's|^\./||')

while IFS= read -r found; do
    complain "subagent/$found: an OID is typed in C; it comes from the MIB"
done < <(grep -rnE '1, *3, *6, *1|\.?1\.3\.6\.1' --include='*.[ch]' . ../trapd-handlers | sed 's|^\./||')

[[ $status -eq 0 ]] && echo "includes: ok"
exit $status
