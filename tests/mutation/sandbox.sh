#!/bin/bash
# sandbox.sh FOLDER COMMAND...: a changed program may do anything. In namespaces of its own it sees
# only its own processes, has a /tmp of its own, and can write nowhere else but in the folder.
set -e
folder=$1
shift
mount --bind "$folder" "$folder"
mount -o remount,bind,ro /
mount -t tmpfs -o size=1g tmpfs /tmp
ip link set lo up
ulimit -v "${MEMORY:-8000000}" # sanitizers have a limit of their own
ulimit -f 2000000
cd "$folder"
exec "$@"
