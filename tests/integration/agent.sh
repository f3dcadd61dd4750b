#!/usr/bin/env bash
# agent.sh: programs in Java that know nothing of dCAMP, with the agent of dcamp-agent.jar, under the strictest
# verification of the JVM: what they print stays the same, and what is counted is what they did. Other rules
# while they run, rules with faults, classes that cannot be read, modules, loaders, programs with an ASM of
# their own. Skipped where dcamp-agent.jar is not built.
# shellcheck disable=SC2016 # there are dollars in the names of classes, and in awk
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=java-common.sh
. "$top/tests/integration/java-common.sh"
archiver=$(sed -n 's/^JAR = //p' "$build/Makefile")
asm=$(dirname "$(sed -n 's/^ASM_JAR = //p' "$build/Makefile")")/asm-all.jar

compile_plain shop "$top/tests/integration/Shop.java"
compile_plain loading "$top/tests/integration/Loading.java"
rules=$work/rules
verified=("$java" -Xmx256m -Xverify:all)
with_agent=("${verified[@]}" "-javaagent:$jar=$rules")
shop=("${with_agent[@]}" -cp "$work/shop" shop.Shop)
loading=("${with_agent[@]}" -cp "$work/loading" Loading)

# with NAME COMMAND...: with the rules of standard input; what it prints is in $work/out and $work/said.
with() {
    cat >"$rules"
    in_apps "$@" </dev/null >"$work/out" 2>"$work/said"
    read_segment "$1" >"$work/read"
}

# sums SENSOR...: what was begun, ended, failed of each.
sums() {
    local name
    for name; do
        awk -v name="$name" '$1 == "sensor" && $2 == name && $4 == "step" { printf "%s %s %s %s\n", name, $5, $6, $8 }' "$work/read"
    done
}

# records SENSOR: instance, purpose, sequence, result and flags of each.
records() {
    awk -v name="$1" '$1 == "record" && $2 == name { print $3, $4, $5, $6, $10 }' "$work/read"
}

# left REASON: how many classes or methods were left as they are.
left() {
    awk -v reason="$1" '$1 == "sensor" && $2 ~ /^agent.left/ && $3 == reason { print $5 }' "$work/read"
}

# -- A program of our own --------------------------------------------------------------------

"$java" -cp "$work/shop" shop.Shop </dev/null >"$work/plain"
ok "the program does what it is to do" grep -qx "done" "$work/plain"
with shop "${shop[@]}" <<'RULES'
# What is measured in the shop.
application shop
payload shop.Shop$Order
step handle    shop.Shop$Clerk.handle  purpose=sale sequence=payload:1   # in each thread
step pack      shop.Shop$Clerk.pack
step order     shop.Shop$Order.<init>  sequence=payload:0
step gift      shop.Shop$Gift.<init>
step desk      shop.Shop$Desk.<init>
step desk      shop.Shop$Desk.*
step call      shop.Shop$*.call
step fibonacci shop.**.fibonacci(I)I
step none      shop.**.fibonacci(J)*
step retry     shop.Shop.retry         sequence=argument:1 instance={class}.{method}
step many      shop.Shop.many          sequence=argument:5
step hot       shop.Shop.hot
step lambda    shop.Shop.lambda$*(II)I
step nothing   shop.Shop.nothing
step nothing   java.lang.String.*
RULES
ok "with the agent, it prints the same" diff "$work/plain" "$work/out"
is "each execution is counted" "$(sums handle pack order call fibonacci retry many hot lambda)" \
    "handle 4002 4002 0
pack 4008 4008 0
order 4004 4004 1
call 2 2 0
fibonacci 1973 1973 0
retry 1 1 0
many 3 3 0
hot 300000 300000 0
lambda 1 1 0"
is "constructors that call each other are measured each: 4001 objects" "$(sums desk)" "desk 8002 8002 0"
is "what is not there, or of the JDK, is no step" "$(sums none nothing)" ""
is "a constructor with a branch before that of the superclass is left as it is" "$(left constructor)" 2
is "so is what has no code" "$(left no-code)" 2
is "nothing else is" "$(left error) $(left unreadable) $(left loaded) $(left argument) $(left sensor)" "0 0 0 0 0"
is "of each reason, the first case is told" "$(sed 's/ is not measured: .*//' "$work/said")" \
    'dcamp-agent: shop.Shop$Order.<init>(Ljava/lang/String;)V
dcamp-agent: shop.Shop$Desk.handle(Lshop/Shop$Order;I)J'

# Without those that fill the rings, in which the latest 512 records of each thread are.
with records "${shop[@]}" <<'RULES'
application shop
payload shop.Shop$Order
step order    shop.Shop$Order.<init>(Ljava/lang/String;I)V sequence=payload:0
step handle   shop.Shop$Clerk.handle  purpose=sale sequence=payload:1
step pack     shop.Shop$Clerk.pack
step pay      shop.Shop.pay           sequence=argument:1 costs=cpu,allocated
step allocate shop.Shop.allocate      costs=allocated
step retry    shop.Shop.retry         sequence=argument:1 instance={class}.{method}
step many     shop.Shop.many          sequence=argument:5
step name     shop.Shop.name          sequence=argument:2
step total    shop.Shop.total         sequence=argument:1
RULES
ok "in records as well" diff "$work/plain" "$work/out"
is "an exception is the result -1; sequences are those of arguments" "$(records pay)" "- - 4711 0 3
- - 4712 -1 3"
is "a text that is a number, too; the instance is what the rule says" "$(records retry)" "Shop.retry - 17 0 0"
is "a number of the JDK is one; the program's own are none, and their code is not called" \
    "$(records total | awk '{ print ($3 > 1000 ? "new" : $3) }' | tr '\n' ' ')" "new new 10 12 "
is "behind arguments of all types" "$(records many | sort | uniq -c | sed 's/^ *//')" "3 - - 5 0 0"
ok "what is allocated is known: $(awk '$2 == "allocate" && /^record/ { print $12 }' "$work/read")" \
    awk '$1 == "record" && $2 == "allocate" && $10 == 2 && $12 >= 1000000 && $12 < 1100000 { ok = 1 } END { exit !ok }' "$work/read"
is "an argument that is not there" "$(left argument)" 1
# orders SENSOR: the sequences of the records of the thread main.
orders() {
    awk -v name="$1" '/^thread/ && $5 == "main" { id = $3 } /^record/ && $2 == name { at[$9] = at[$9] " " $5 }
        END { print at[id] }' "$work/read"
}
read -r -a made <<<"$(orders order)"
is "four orders have four sequences" "$(printf '%s\n' "${made[@]}" | sort -u | wc -l)" 4
is "which handle has of its argument" "$(orders handle)" " ${made[0]} ${made[1]}"
is "and pack of its thread" "$(orders pack)" " ${made[0]} ${made[0]} ${made[0]} ${made[1]} ${made[1]} ${made[1]} ${made[1]} ${made[1]}"
is "orders of the other threads are others" "$(awk '/^record/ && $2 == "handle" { n[$5]++ }
    END { for (i in n) if (n[i] > 1) print i }' "$work/read")" ""

with names "${shop[@]}" <<'RULES'
step {class}.{method} shop.Shop$Clerk.*
step {method} shop.Shop.lambda$*(II)I
step a.longer.name.for.{class}.{method} shop.Shop$*.<init>
RULES
is "classes in others, lambda expressions and long names are steps, each of its own" \
    "$(awk '$1 == "sensor" && $4 == "step" { print $2 }' "$work/read" | sed -E 's/^(lambda_work_)[0-9]+$/\1N/' | sort -u)" \
    "Shop_Clerk.call
Shop_Clerk.handle
Shop_Clerk.pack
a.longer.name.for.Shop_-00d07ba5
a.longer.name.for.Shop_-0abf46b8
a.longer.name.for.Shop_-a0bf3ad3
a.longer.name.for.Shop_-d72d52a4
a.longer.name.for.Shop_Desk.init
lambda_work_N"
is "none cannot be published" "$(left sensor)" 0

with deep "${shop[@]}" <<'RULES'
step deep shop.Shop.deep
RULES
ok "a stack that overflows" diff "$work/plain" "$work/out"
is "the application has the name of the class" "$(sed -n '1s/ refused.*//p' "$work/read")" "closed Shop"

# -- Other rules while it runs ---------------------------------------------------------------

# rounds NAME STEP: how many of that step there were, in the program that is held.
rounds() {
    read_segment "$1" | awk -v name="$2" '$1 == "sensor" && $2 == name && $4 == "step" { print $6 }'
}
# another_round: the program does its work once more, the last line of which is a sum.
another_round() {
    local before
    before=$(grep -c '^983811600 ' "$work/out")
    echo >&"$to_held"
    within 60 "$BASH" -c '[[ $(grep -c "^983811600 " "$1") -gt $2 ]]' - "$work/out" "$before" || true
}
# counts STEP: another round does.
counts() {
    local before after
    before=$(rounds live "$1")
    another_round
    after=$(rounds live "$1")
    [[ ${after:-0} -gt ${before:-0} ]]
}

printf 'application live\nstep hot shop.Shop.hot\n' >"$rules"
hold live "${shop[@]}"
wait_for_line '^done$'
is "the rules at the start" "$(rounds live hot) $(rounds live fibonacci)" "300000 "
printf 'application live\npayload shop.Shop$Order\nstep fibonacci shop.Shop.fibonacci\n' >"$rules"
eventually "another rule counts while it runs" 60 counts fibonacci
hot=$(rounds live hot)
another_round
is "one that has gone does not" "$(rounds live hot)" "$hot"
ok "a payload class that was loaded before is told" grep -q 'Order is no payload: it was loaded before' "$work/out"
printf 'application live\n\nstep hot shop.Shop.hot sequence=argument\n' >"$rules"
eventually "a fault is told with its line" 60 grep -qxF "dcamp-agent: $rules, line 3: expected sequence=thread, \
sequence=argument:N, from 1 on, or sequence=payload:N, 0 for the object itself, instead of \"argument\"; the rules stay as they were" "$work/out"
ok "the rules stay as they were" counts fibonacci
is "the fault is told once" "$(grep -c 'line 3' "$work/out")" 1
printf 'application live\nstep hot shop.Shop.hot\n' >"$rules"
eventually "without the fault, they are in force" 60 counts hot
rm "$rules"
eventually "a file that has gone is told" 60 grep -q 'cannot be read: .*; the rules stay as they were' "$work/out"
ok "and they stay" counts hot
release
is "nothing went wrong" "$(grep -c 'left as it is' "$work/out")" 0
read_segment live >"$work/read"
is "a method that is made a step again is counted once, and so is what is left" \
    "$(awk '$2 == "agent.measured" { print $5 }' "$work/read") $(left loaded)" "2 1"

# Another agent holds a class that was rewritten by the old rules until others are rewritten by the new ones.
"$javac" -d "$work/holding" "$top/tests/integration/Holding.java"
printf 'Premain-Class: Holding\nCan-Retransform-Classes: true\n' >"$work/manifest"
"$archiver" --create --file "$work/holding.jar" --manifest "$work/manifest" -C "$work/holding" .
# late_counts: another execution does.
late_counts() {
    echo >&"$to_held"
    [[ $(rounds late late) -gt 0 ]]
}
echo 'step early Loading$Early.run' >"$rules"
hold late "${with_agent[@]}" "-javaagent:$work/holding.jar" -cp "$work/loading" Loading late
wait_for_line '^held$'
printf 'step again Loading$Early.run\nstep late Loading$Late.run\n' >"$rules"
wait_for_line '^late$'
eventually "a class that is loaded while the rules change has the new ones" 60 late_counts
release

compile counting "$top/tests/integration/Counting.java"
# line_counts: another call of line() does.
line_counts() {
    echo >&"$to_held"
    [[ $(rounds opened line) -gt 0 ]]
}
rm "$rules"
hold opened "${verified[@]}" "-javaagent:$jar=$rules" -cp "$jar:$work/counting" Counting lines
wait_for_line '^ready$'
printf 'application other\nstep line Counting.line\n' >"$rules"
eventually "rules that come when the program is published under another name are in force" 60 line_counts
ok "which is told" grep -qx 'dcamp-agent: this process is published as counting already, and its steps are, too' "$work/out"
release

# -- Rules with faults -----------------------------------------------------------------------

# fault TEXT MESSAGE: a line, and what is said of it; the program runs the same.
fault() {
    mkdir -p "$work/apps/fault"
    printf '%s\n' "$1" >"$rules"
    in_apps fault "${shop[@]}" </dev/null >"$work/out" 2>"$work/said"
    is "$1" "$(<"$work/said")" "dcamp-agent: $rules, line 1: $2; nothing is measured"
    cmp -s "$work/plain" "$work/out" || report 1 "$1: the program runs the same"
}
fault "stop a.b" '"stop" is not known: expected application, payload or step'
fault "application a b" 'expected "application NAME", of 1 to 32 characters A-Z a-z 0-9 . _ -'
fault "payload" 'expected "payload CLASS"'
fault "step a" 'expected "step NAME CLASS.METHOD [OPTION=VALUE...]"'
fault "step a/b c.d" "step a/b: the name has other characters than A-Z a-z 0-9 . _ -"
many=$(printf 'x%.0s' {1..65})
fault "step ${many::33} c.d" "step ${many::33}: the name has more than 32 characters"
fault "step a$many{class} c.d" "step a$many{class}: the name has more than 32 characters"
fault "step a c.d instance=$many" "step a: the instance has more than 64 octets"
fault "step a c.d purpose=${many:0:31}é" "step a: the purpose has more than 32 octets"
fault "application ${many::33}" 'expected "application NAME", of 1 to 32 characters A-Z a-z 0-9 . _ -'
fault "step a b" 'expected CLASS.METHOD instead of "b"'
fault "step a b.c d" 'expected OPTION=VALUE instead of "d"'
fault "step a b.c color=red" "a step has no option color: expected instance, purpose, sequence or costs"
fault "step a b.c costs=cpu,money" 'expected costs=cpu, allocated or both, with a comma between, instead of "money"'

is "without a file of rules" "$("$java" "-javaagent:$jar" -cp "$work/shop" shop.Shop </dev/null 2>&1 >/dev/null)" \
    "dcamp-agent: nothing is measured: there is no file of rules: -javaagent:dcamp-agent.jar=FILE"
echo 'step hot shop.Shop.hot' >"$rules"
is "without a directory for the segment" "$(DCAMP_APPS=/nonexistent "${shop[@]}" </dev/null 2>&1 >"$work/out")" \
    "dcamp-agent: nothing is measured: a file in /nonexistent cannot be created: No such file or directory"
ok "a program runs the same" diff "$work/plain" "$work/out"

# -- Classes, loaders, modules ---------------------------------------------------------------

# The number of the version is in octets 6 and 7.
mkdir "$work/odd"
for name in Newer Newest; do
    echo "public final class $name { }" >"$work/$name.java"
    "$javac" -d "$work/odd" "$work/$name.java"
    printf '\0\101' | dd of="$work/odd/$name.class" bs=1 seek=6 conv=notrunc status=none
done
echo 'public final class Short { static int a() { return 1; } }' >"$work/Short.java"
"$javac" -d "$work/odd" "$work/Short.java"
truncate -s -20 "$work/odd/Short.class"
"${verified[@]}" -cp "$work/loading:$work/odd" Loading try Newer Newest Short >"$work/plain.odd"
with odd "${with_agent[@]}" -cp "$work/loading:$work/odd" Loading try Newer Newest Short <<<'step odd *.*'
ok "classes that are no good are no better and no worse" diff "$work/plain.odd" "$work/out"
is "those that are too new are left as they are" "$(left unreadable) $(left error)" "2 1"
is "and told once" "$(grep -c 'Newe.* is not measured: its class file has version 65, and 64 is the latest that is known' "$work/said")" 1

with seen "${loading[@]}" try org.objectweb.asm.ClassReader dcamp.weave.Agent <<<'step a b.c'
is "a program sees neither ASM nor what rewrites it" "$(<"$work/out")" "org.objectweb.asm.ClassReader java.lang.ClassNotFoundException
dcamp.weave.Agent java.lang.ClassNotFoundException"
with isolated "${loading[@]}" isolated "$work/shop" shop.Shop <<<'step hot shop.Shop.hot'
ok "a loader that sees nothing of ours" diff "$work/plain" "$work/out"
is "has its steps all the same" "$(sums hot)" "hot 300000 300000 0"

ln -s "$jar" "$work/renamed.jar"
with renamed "$java" "-javaagent:$work/renamed.jar=$rules" -cp "$work/shop" shop.Shop <<<'step hot shop.Shop.hot'
is "the jar may have another name" "$(sums hot)" "hot 300000 300000 0"

mkdir "$work/a directory"
"$archiver" --create --file "$work/a directory/my shop.jar" --main-class shop.Shop -C "$work/shop" .
with blanks "${with_agent[@]}" -jar "$work/a directory/my shop.jar" "more words" <<<'step hot shop.Shop.hot'
is "a program has the name of its jar, whatever its path is" "$(sed -n '1s/ refused.*//p' "$work/read")" "closed my_shop.jar"

mkdir "$work/modular"
cp "$top/tests/integration/Shop.java" "$work/modular"
echo 'module shop { }' >"$work/modular/module-info.java"
"$javac" -d "$work/module" "$work/modular"/*.java
with module "${with_agent[@]}" -p "$work/module" -m shop/shop.Shop <<'RULES'
payload shop.Shop$Order
step order  shop.Shop$Order.<init>(Ljava/lang/String;I)V sequence=payload:0
step handle shop.Shop$Clerk.handle sequence=payload:1
RULES
ok "a program that is a module" diff "$work/plain" "$work/out"
is "it has the name of its class" "$(sed -n '1s/ refused.*//p' "$work/read")" "closed Shop"
is "has steps" "$(sums order handle)" "order 4004 4004 1
handle 4002 4002 0"
read -r -a made <<<"$(orders order)"
is "and payloads" "$(orders handle)" " ${made[0]} ${made[1]}"

# Each method of thousands of classes, all verified: those of the compiler of Java, and of XML.
modules=(jdk.jdeps)
[[ -n ${DCAMP_TEST_SHORT:-} ]] || modules+=(jdk.compiler java.xml)
"${verified[@]}" -cp "$work/loading" Loading modules "${modules[@]}" >"$work/plain.modules"
with modules "${loading[@]}" modules "${modules[@]}" <<'RULES'
step all **.* sequence=argument:1 costs=allocated
step new **.<init> sequence=payload:1
step static **.<clinit>
payload **
RULES
ok "classes that are rewritten are verified: $(awk '{ n += $2 } END { print n }' "$work/out")" diff "$work/plain.modules" "$work/out"
measured=$(awk '$2 == "agent.measured" { print $5 }' "$work/read")
ok "$measured methods of them are measured" test "$measured" -gt 1000
is "none went wrong" "$(left error)" 0

# -- A program from Debian -------------------------------------------------------------------

# ASM itself, which libasm-java has, prints and checks a class; it comes from the program's own jar.
if [[ -e $asm ]]; then
    for tool in Textifier CheckClassAdapter; do
        program=(-cp "$asm" "org.objectweb.asm.util.$tool" "$work/shop/shop/Shop.class")
        "${verified[@]}" "${program[@]}" >"$work/plain.asm" 2>&1
        with "asm-$tool" "${with_agent[@]}" "${program[@]}" <<'RULES'
application asm
step visit  org.objectweb.asm.**.visit* costs=allocated
step any    org.objectweb.asm.**.*      instance={class}
step new    org.objectweb.asm.**.<init>
RULES
        ok "ASM's $tool prints the same" diff "$work/plain.asm" <(cat "$work/out" <(grep -v '^dcamp-agent: ' "$work/said"))
        ok "its methods are measured: $(sums visit)" awk '$2 == "visit" && /^sensor/ && $5 > 100 && $5 == $6 { ok = 1 } END { exit !ok }' "$work/read"
    done
else
    echo "# $asm is not there: nothing is said of ASM as a program"
fi
finish
