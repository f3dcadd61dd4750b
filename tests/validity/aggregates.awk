# Computes aggregates anew, of what aggregates.sh recorded of the leaves, and compares. Knows nothing
# of dCAMP but the names of its objects. -v interval=S -v seconds=S: how long.
#
# Which sample of each leaf an aggregate was computed of is nobody's guess: the sum of each child,
# computed in the same moment, tells which of the recorded ones it is. All the others, by everything,
# must then follow from these samples.

# Tenths of a second since the midnight before the record began.
function tenths(time, part, t) {
    split(time, part, /[,:]/)
    t = part[2] * 36000 + part[3] * 600 + int(part[4] * 10 + 0.5)
    if (first == "")
        first = t
    return t < first - 432000 ? t + 864000 : t
}

function absolute(x) { return x < 0 ? -x : x }

# The moment of a node that is near t: all of what is done in one turn has one time, or the next
# tenth.
function moment(where, t, d) {
    if ((where, t) in moments)
        return moments[where, t]
    at[where, ++n_moments[where]] = t
    for (d = -3; d <= 3; d++)
        moments[where, t + d] = n_moments[where]
    return n_moments[where]
}

# -- What was recorded: Text, then Time of a row --------------------------------------------------

$3 == "No" { text = ""; next }
$2 ~ /Text\./ { text = $3; next }
$2 ~ /Time\./ && text != "" {
    split($2, name, "\"")
    if ($2 ~ /::dcampValue/)
        sample[$1, moment($1, tenths($3)), name[4]] = text
    else if ($2 ~ /::dcampChildValue/)
        reported[name[2], tenths($3), name[6]] = text
    else {
        m = moment($1, tenths($3))
        if (!(($1, m, name[2], name[4]) in value))
            cells[$1, m] = cells[$1, m] name[2] " " name[4] "\n"
        value[$1, m, name[2], name[4]] = text
    }
    text = ""
}

# -- Comparison ------------------------------------------------------------------------------

# What may be between the shown and the computed value: nothing; for what is not whole, half of the
# last digit that is published, the sixth behind the point or the fifteenth of all; for percentiles,
# the error of the histogram.
function bound_of(name) {
    if (name ~ /^p/) return "1 %"
    return name ~ /^(avg|stddev|share)$/ ? "half of the last digit" : "equal"
}

# compare(LEVEL, WHAT, SHOWN, COMPUTED): that of percentiles is a part of what was computed. Nothing
# is equal to "none".
function compare(level, name, shown, computed, key, deviation, allowed) {
    key = level " | " name
    if (!(key in n)) {
        order[++n_keys] = key
        worst[key] = 0
        failures[key] = 0
    }
    n[key]++
    deviation = computed == "none" ? 1e9 : absolute(shown - computed)
    allowed = 0
    if (bound_of(name) == "1 %")
        allowed = (0.01 + 1e-12) * absolute(computed)
    else if (bound_of(name) != "equal")
        allowed = 5.01e-7 + 1e-14 * absolute(computed)
    if (deviation > allowed && ++failures[key] && ++told <= 10)
        printf "%s: %s, computed %s\n", key, shown, computed >"/dev/stderr"
    if (bound_of(name) == "1 %" && computed != 0)
        deviation /= absolute(computed)
    if (deviation > worst[key])
        worst[key] = deviation
}

function sort_values(x, count, i, j, t) {
    for (i = 2; i <= count; i++) {
        t = x[i]
        for (j = i - 1; j > 0 && x[j] > t; j--)
            x[j + 1] = x[j]
        x[j + 1] = t
    }
}

# Of count sorted values.
function compute(name, x, count, i, total, squares) {
    for (i = 1; i <= count; i++)
        total += x[i]
    if (name == "sum") return total
    if (name == "avg") return total / count
    if (name == "min") return x[1]
    if (name == "max") return x[count]
    if (name == "count") return count
    if (name == "stddev") {
        for (i = 1; i <= count; i++)
            squares += (x[i] - total / count) ^ 2
        return sqrt(squares / count)
    }
    return x[1 + int(substr(name, 2) / 100 * (count - 1))]
}

# has_gap(LEAF, OLDEST, NEWEST, UNTIL): whether a sample of that time is missing in the record, which
# a busy machine did not get round to.
function has_gap(leaf, oldest, newest, until, i, next_one) {
    for (i = oldest; i <= newest; i++) {
        next_one = i < n_moments[leaf] ? at[leaf, i + 1] : until
        if (i < 1 || next_one - at[leaf, i] > 15 * interval)
            return 1
    }
    return 0
}

# find_samples(NODE, MOMENT): of its leaves, in now, and their number in n_now. False: no recorded
# sample gives the sum of a child, or that sum, or the sample that it may be of, was not recorded.
function find_samples(where, m, leaf, i, total, shown, k, oldest) {
    n_now = 0
    for (leaf = 1; leaf <= 4; leaf++) {
        if (where != "root" && where != "collector" int((leaf + 1) / 2))
            continue
        if (!((where, m, "child.sum", "node" leaf) in value))
            return 0
        shown = value[where, m, "child.sum", "node" leaf]
        for (i = last[where, leaf] + 0; i < n_moments[leaf] && at[leaf, i + 1] <= at[where, m] + 3; i++)
            ;
        for (oldest = i - 8; i > 0 && i > oldest; i--) {
            total = 0
            for (k = 1; k <= 3; k++)
                total += sample[leaf, i, "eth" k]
            if (total == shown)
                break
        }
        last[where, leaf] = i
        if (i == 0 || i == oldest) {
            if (has_gap(leaf, oldest, oldest + 8, at[where, m]))
                return 0
            compare(where == "root" ? "root" : "collectors", "sum", shown, "none")
            return 0
        }
        for (k = 1; k <= 3; k++) {
            now[++n_now] = sample[leaf, i, "eth" k]
            leaf_of[n_now] = leaf
            card_of[n_now] = "eth" k
        }
    }
    return 1
}

# Whether value i of now is in the aggregate's row.
function belongs(i, by, instance) {
    if (by == "all") return 1
    if (by == "group") return (leaf_of[i] % 2 ? "odd" : "even") == instance
    if (by == "instance") return card_of[i] == instance
    return "node" leaf_of[i] == instance
}

# The three largest, and the parts of the whole: of the leaves' values, or, at the root, of their
# sums.
function check_each(level, name, instance, shown, i, part, total, larger, mine, of, key) {
    split(instance, part, "/")
    for (i = 1; i <= n_now; i++) {
        key = level == "root" ? "node" leaf_of[i] : "node" leaf_of[i] "/" card_of[i]
        of[key] += now[i]
        total += now[i]
    }
    mine = of[level == "root" ? part[2] : instance]
    if (name == "share") {
        compare(level, name, shown, 100 * mine / total)
        return
    }
    for (key in of)
        larger += of[key] > mine
    compare(level, name, shown, larger < 3 ? mine : "none")
}

function check_cell(level, where, m, name, instance, part, x, i, count) {
    split(name, part, ".")
    if (name == "top" || name == "share") {
        check_each(level, name, instance, value[where, m, name, instance])
        return
    }
    for (i = 1; i <= n_now; i++)
        if (belongs(i, part[1], instance))
            x[++count] = now[i]
    sort_values(x, count)
    compare(level, part[2], value[where, m, name, instance], compute(part[2], x, count))
}

function check_moment(where, m, level, line, cell, i, many) {
    level = where == "root" ? "root" : "collectors"
    if (!find_samples(where, m))
        return 0
    many = split(cells[where, m], line, "\n") - 1
    for (i = 1; i <= many; i++) {
        split(line[i], cell, " ")
        check_cell(level, where, m, cell[1], cell[2])
    }
    return 1
}

# What the collectors show of the leaves: what the leaves themselves show of the same time.
function check_reported(key, part, m) {
    for (key in reported) {
        split(key, part, SUBSEP)
        sub("node", "", part[1])
        m = moments[part[1], part[2]]
        if ((part[1], m, part[3]) in sample)
            compare("collectors", "values of children", reported[key], sample[part[1], m, part[3]])
    }
}

END {
    check_reported()
    wheres = split("collector1 collector2 root", where, " ")
    print "| where | what | comparisons | largest deviation | bound | verdict |"
    print "| --- | --- | ---: | ---: | ---: | --- |"
    for (w = 1; w <= wheres; w++)
        for (m = 1; m <= n_moments[where[w]]; m++)
            checked[w] += check_moment(where[w], m)
    for (i = 1; i <= n_keys; i++) {
        key = order[i]
        bad += failures[key]
        split(key, part, " [|] ")
        percent = bound_of(part[2]) == "1 %"
        printf "| %s | %d | %.2g%s | %s | %s |\n", key, n[key], percent ? 100 * worst[key] : worst[key],
            percent ? " %" : "", bound_of(part[2]), failures[key] ? "**FAIL**" : "pass"
    }
    print ""
    for (w = 1; w <= wheres; w++) {
        enough = checked[w] >= 0.8 * int(seconds / interval - 1)
        bad += !enough
        printf "%s: %d moments of %d compared%s\n", where[w], checked[w], n_moments[where[w]],
            enough ? "" : ", **too few**"
    }
    exit bad > 0
}
