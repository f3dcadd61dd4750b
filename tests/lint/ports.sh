#!/usr/bin/env bash
# A port that a lab has chosen for somebody who does not have it yet is given to nobody else.
set -euo pipefail
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)

die() {
    echo "ports: $*" >&2
    exit 1
}

# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

# All but 1,000 of them are reserved: of so many that are drawn by chance, nearly all would be of those.
mapfile -t reserved < <(seq 20000 30999)
mapfile -t chosen < <(
    for ((i = 0; i < 40; i++)); do
        (free_ports 1 2>/dev/null) || true # where chance has not found one
    done
)
[[ ${#chosen[@]} -gt 20 ]] || die "only ${#chosen[@]} of 40 times a port was found that is not reserved"
for port in "${chosen[@]}"; do
    ((port >= 31000 && port < 32000)) || die "$port is reserved"
done
reserved=()
mapfile -t chosen < <(free_ports 400)
[[ $(printf '%s\n' "${chosen[@]}" | sort -u | wc -l) -eq 400 ]] || die "of 400 ports, some are the same"
echo "ports: ok"
