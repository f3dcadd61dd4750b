# shellcheck shell=bash
# The history of a lab, for the script lab, which sets what is used here and has spawn, failed and
# name_of: dcamp-publish with its sink of SQLite, and dcamp-web, at the node on top.

dir=${dir:-} run=${run:-} build_dir=${build_dir:-} source_dir=${source_dir:-} web=${web:-}

# The node on top: the root, or the only one.
top_node() {
    [[ ${collectors:-0} -gt 0 ]] && echo root || echo 1
}

history_directory() {
    echo "$dir/$(name_of "$(top_node)")/publish/history"
}

# Its configuration has the sink that is shipped, in a directory of the lab.
prepare_history() {
    local file
    file=$dir/$(name_of "$(top_node)")/dcamp.xml
    mkdir -p "$(history_directory)"
    grep -q '<sink [^>]*name="history"' "$file" ||
        die "$file has no sink that is called history, as conf/dcamp.xml has one"
    sed -i -E "s|(<sink [^>]*name=\"history\")|\1 location=\"$(history_directory)\"|" "$file"
}

spawn_publish() {
    local name
    name=$(name_of "$(top_node)")
    spawn publish "$dir/$name/publish.log" "$build_dir/dcamp-publish" --socket "$run/$name/publish.socket" \
        --state-dir "$dir/$name/publish" --modules "$build_dir/publish/.libs"
}

# The port is one that was free: its first line says which.
spawn_web() {
    local name i
    name=$(name_of "$(top_node)")
    spawn web "$dir/$name/web.log" "$build_dir/dcamp-web" --directory "$(history_directory)" \
        --page "$source_dir/web/page" --listen 127.0.0.1:0
    for ((i = 0; i < 300; i++)); do
        web=$(sed -n 's/.*\(http:[^ ]*[0-9]\): .*/\1/p' "$dir/$name/web.log" 2>/dev/null) || true
        [[ -z $web ]] || return 0
        sleep 0.1
    done
    failed "dcamp-web does not listen" "$dir/$name/web.log"
}

# It is done once the values of the node on top come into the history: some ten seconds, more on a busy
# machine, or where thousands of children join meanwhile.
start_history() {
    local i name
    name=$(name_of "$(top_node)")
    spawn_publish
    spawn_web
    for ((i = 0; i < 1200; i++)); do
        [[ $(curl -s "$web/api/v1/nodes") != *"\"path\":\"\""* ]] || return 0
        sleep 0.1
    done
    failed "there is no history" "$dir/$name/publish.log" "$dir/$name/web.log" "$dir/$name/dcampd.log"
}

print_history() {
    assign DCAMP_LAB_WEB "$web"
    assign DCAMP_LAB_HISTORY "$(history_directory)"
    assign DCAMP_LAB_PID_PUBLISH "$(pid_of publish)"
    assign DCAMP_LAB_PID_WEB "$(pid_of web)"
    assign DCAMP_LAB_PUBLISH_SOCKET "$run/$(name_of "$(top_node)")/publish.socket"
}
