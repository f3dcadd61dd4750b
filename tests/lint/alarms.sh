#!/usr/bin/env bash
# Each row of doc/alarms.md names a scenario that is played, and each scenario has a row.
set -euo pipefail
top=${srcdir:-$(dirname "$0")/../..}

status=0
# shellcheck disable=SC2016 # Markdown's, not the shell's
named=$(sed -n 's/^|.*| `\([a-z-]*\)` |$/\1/p' "$top/doc/alarms.md" | sort)
played=$(sed -n 's/^    {"\([a-z-]*\)",$/\1/p' "$top"/tests/unit/test_*_semantics.c | sort)
rows=$(grep '^|' "$top/doc/alarms.md" | grep -Evc '^\| (---|behaviour) ')
# complain WHAT NAMES
complain() {
    [[ -n $2 ]] || return 0
    echo "$1: ${2//$'\n'/, }"
    status=1
}

complain "doc/alarms.md names scenarios that no test plays" "$(comm -23 <(uniq <<<"$named") <(uniq <<<"$played"))"
complain "scenarios without a row in doc/alarms.md" "$(comm -13 <(uniq <<<"$named") <(uniq <<<"$played"))"
complain "scenarios with two rows in doc/alarms.md" "$(uniq -d <<<"$named")"
complain "scenarios of one name" "$(uniq -d <<<"$played")"
[[ $rows -eq $(wc -l <<<"$named") ]] || complain "doc/alarms.md" "rows without a scenario"

[[ $status -eq 0 ]] && echo "alarms: ok, $rows rows"
exit $status
