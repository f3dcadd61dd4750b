# shellcheck shell=bash
# shellcheck disable=SC2154 # top, build and work are those of the test
# The examples of doc/applications.md, for tests that source this: with the source in $top, the build in
# $build, and $work for what comes of them.

sanitized=no
[[ $(sed -n 's/^SANITIZE_FLAGS = //p' "$build/Makefile") == '' ]] || sanitized=yes

# example LANGUAGE: what is indented in that section of doc/applications.md: a program, and as the last line
# the command that builds it.
example() {
    awk -v title="## $1" '/^## / { mine = $0 == title } mine && /^    / { print substr($0, 5) }' \
        "$top/doc/applications.md"
}

# build_example LANGUAGE FILE: by its command, but with the compiler and the flags of this build.
build_example() {
    local command flags=''
    example "$1" | head -n -1 >"$work/$2"
    command=$(example "$1" | tail -n 1)
    [[ $sanitized == no ]] || flags=' -fsanitize=address,undefined'
    (cd "$work" && eval "${command/pkg-config/pkg-config }$flags -Wall -Wextra -Werror -pedantic")
}
