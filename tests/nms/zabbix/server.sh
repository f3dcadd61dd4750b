# shellcheck shell=bash
# A private Zabbix: PostgreSQL, the server, the web front end, for tests/nms/zabbix.sh, which has
# sourced common.sh and api.sh. Everything is below $work and on loopback.
#
#   start_zabbix              and log in: $zabbix_traps, the file of traps, and what api.sh wants are set
#   run_server ASSIGNMENT...  after end zabbix: once more, with another environment
work=${work:-}
zabbix_source=/usr/share/zabbix
zabbix_sql=/usr/share/zabbix-server-pgsql
pg_bin=$(echo /usr/lib/postgresql/*/bin)
pg_bin=${pg_bin##* }

# PostgreSQL does not run as root.
as_postgres=()
[[ $(id -u) -ne 0 ]] || as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups)

need_zabbix() {
    need zabbix_server zabbix-server-pgsql
    need "$pg_bin/initdb" postgresql
    need php php-cli
    need jq jq
    need curl curl
    [[ -d $zabbix_source ]] || skip "the front end is missing (package zabbix-frontend-php)"
    php -r 'exit(extension_loaded("pgsql") ? 0 : 1);' ||
        skip "PHP has no PostgreSQL (package php-pgsql)"
}

database() {
    psql -X -q -v ON_ERROR_STOP=1 -h "$work/pg" -U postgres "$@" zabbix
}

# Nothing of it outlives the test: it need not be safe on disk.
start_database() {
    local socket=$work/pg
    chmod 711 "$work"
    mkdir "$socket"
    [[ ${#as_postgres[@]} -eq 0 ]] || chown postgres "$socket"
    cd /
    "${as_postgres[@]}" "$pg_bin/initdb" -D "$socket/data" -A trust -U postgres -E UTF8 \
        --locale=C --no-sync >"$work/initdb.log" 2>&1 || die "initdb: $(<"$work/initdb.log")"
    start postgres "${as_postgres[@]}" "$pg_bin/postgres" -D "$socket/data" -k "$socket" \
        -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
        -c max_wal_size=4GB -c autovacuum=off
    within 20 psql -X -h "$socket" -U postgres -c '' postgres || die "PostgreSQL does not start"
    psql -X -q -h "$socket" -U postgres -c 'create database zabbix' postgres
}

# The templates that Zabbix ships are nearly all of its data, take half a minute, and nothing here
# needs them. A statement ends with its line unless that is in the middle of a text.
without_templates() {
    local kept='role|role_rule|users|usrgrp|users_groups|hstgrp|config|config_autoreg_tls'
    kept+='|graph_theme|globalmacro|regexps|expressions'
    awk -v kept="^INSERT INTO ($kept) " '
        !inside { skipped = /^INSERT/ && $0 !~ kept }
        gsub(/\x27/, "&") % 2 { inside = !inside }
        !skipped'
}

fill_database() {
    zcat "$zabbix_sql/schema.sql.gz" | database -1 >"$work/schema.log" 2>&1 ||
        die "schema: $(tail -n 5 "$work/schema.log")"
    zcat "$zabbix_sql/data.sql.gz" | without_templates | database >"$work/data.log" 2>&1 ||
        die "data: $(tail -n 5 "$work/data.log")"
}

# The front end of Debian reads its configuration from /etc: a copy of it reads ours.
start_frontend() {
    local port
    port=$(free_tcp_port)
    cp -r "$zabbix_source" "$work/frontend"
    sed -i "s|/etc/zabbix/zabbix.conf.php|$work/zabbix.conf.php|" \
        "$work/frontend/include/classes/core/CConfigFile.php"
    cat >"$work/zabbix.conf.php" <<END
<?php
\$DB['TYPE'] = 'POSTGRESQL';
\$DB['SERVER'] = '$work/pg';
\$DB['PORT'] = '0';
\$DB['DATABASE'] = 'zabbix';
\$DB['USER'] = 'postgres';
\$DB['PASSWORD'] = '';
\$DB['SCHEMA'] = '';
\$DB['ENCRYPTION'] = false;
\$DB['DOUBLE_IEEE754'] = true;
\$ZBX_SERVER = '127.0.0.1';
\$ZBX_SERVER_PORT = '$zabbix_port';
\$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;
END
    # It complains in each widget of a machine that has no such locale.
    mkdir "$work/locale"
    cp -r /usr/lib/locale/C.utf8 "$work/locale/en_US.utf8"
    start frontend env LOCPATH="$work/locale" php -d memory_limit=512M -d max_execution_time=300 \
        -d post_max_size=16M -d max_input_time=300 -d date.timezone=UTC \
        -d error_reporting=0 -S "127.0.0.1:$port" -t "$work/frontend"
    zabbix_url=http://127.0.0.1:$port
    within 10 curl -sf -o /dev/null "$zabbix_url/index.php" || die "the front end does not start"
}

start_server() {
    mkdir "$work/zabbix"
    zabbix_traps=$work/zabbix/traps
    touch "$zabbix_traps"
    cat >"$work/zabbix/server.conf" <<END
LogType=console
DBHost=$work/pg
DBName=zabbix
DBUser=postgres
ListenIP=127.0.0.1
ListenPort=$zabbix_port
SocketDir=$work/zabbix
PidFile=$work/zabbix/server.pid
AllowRoot=1
StartSNMPTrapper=1
SNMPTrapperFile=$zabbix_traps
CacheUpdateFrequency=2
StartPollers=4
StartPingers=0
StartDiscoverers=0
StartHTTPPollers=0
StartReportWriters=0
Timeout=10
END
    run_server MIBS=
}

# run_server ASSIGNMENT...: with these in its environment. Debian has no modules for MIBS.
run_server() {
    : >"$work/zabbix.log"
    start zabbix env "$@" zabbix_server -f -c "$work/zabbix/server.conf"
    within 30 grep -q 'server #0 started' "$work/zabbix.log" || die "the server does not start"
}

start_zabbix() {
    zabbix_auth=
    zabbix_port=$(free_tcp_port)
    start_database
    fill_database
    start_server
    start_frontend
    zabbix_auth=$(api user.login . '{"username": "Admin", "password": "zabbix"}') ||
        die "no one can log in: $zabbix_auth"
}
