# shellcheck shell=bash
# What the documents tell people to type, for tests that type it, which set top and work.

top=${top:-} work=${work:-}

# recipes SECTION: the commands of doc/using.md, one a line; and not options alone.
recipes() {
    awk -v title="## $1" '
        /^## / { inside = $0 == title }
        inside && /^    / { sub(/^ +/, ""); command = command $0 }
        command ~ /\\$/ { sub(/\\$/, "", command); next }
        command ~ /^[^-]/ { print command; n++ }
        { command = "" }
        END { exit n == 0 }' "$top/doc/using.md"
}

# block FILE PATTERN: the first indented block in which a line matches, without the indentation.
block() {
    awk -v pattern="$2" '
        /^    / { text = text substr($0, 5) "\n"; found = found || $0 ~ pattern; next }
        found { exit }
        { text = "" }
        END { if (found) printf "%s", text; exit !found }' "$1"
}

# session FILE PATTERN DIR: the block in which a line matches, a session with "$ COMMAND" and what it
# prints: DIR/N.command and DIR/N.shown of each command. Prints how many there are.
session() {
    block "$1" "$2" | awk -v dir="$3" '
        /^\$ / { n++; print substr($0, 3) >(dir "/" n ".command"); printf "" >(dir "/" n ".shown"); next }
        n { print >(dir "/" n ".shown") }
        END { print n + 0 }'
}

# shape COMMAND <OUTPUT: what is the same in every run of it: of a table the header, and of its rows what
# the nodes are; of a page its labels; of findings what was looked at, and whether it is good.
shape() {
    case $1 in
    "dcamp tree "*) awk 'NR == 1 { $1 = $1; print } NR > 1 { print NF, $2, $3 }' ;;
    "dcamp status "*) sed 's/  .*//' ;;
    "dcamp doctor "*) cut -c 1-21 | sed 's/ *$//' ;;
    *) cat ;;
    esac
}

# manual_commands PAGE PROMPT: what its displays have behind the prompt, one a line.
manual_commands() {
    awk -v prompt="$2 " '
        /^\.Bd -literal/ { inside = 1; next }
        /^\.Ed/ { inside = 0 }
        !inside { next }
        command == "" && index($0, prompt) != 1 { next }
        command == "" { $0 = substr($0, length(prompt) + 1) }
        { command = command $0 }
        sub(/\\e$/, "", command) { next }
        { print command; command = ""; n++ }
        END { exit n == 0 }' "$top/doc/man/$1"
}

# manual_display PAGE PATTERN: the display in which a line matches.
manual_display() {
    awk -v pattern="$2" '
        /^\.Bd -literal/ { inside = 1; text = ""; found = 0; next }
        /^\.Ed/ { if (inside && found) { printf "%s", text; n++; exit } inside = 0 }
        inside { text = text $0 "\n"; found = found || $0 ~ pattern }
        END { exit n == 0 }' "$top/doc/man/$1"
}

# works COMMAND: it succeeds without noise, and what it asks for is there.
works() {
    local status=0
    eval "$1" >"$work/said" 2>&1 || status=$?
    # A walk of everything ends with the second.
    # Modules that are missing are complained of in many lines.
    ! grep 'Cannot find module' "$work/said" || status=1
    ! head -n 1 "$work/said" | grep -E 'No Such|No more variables|: No entries' || status=1
    [[ $status -eq 0 ]] || head -n 5 "$work/said"
    return "$status"
}
