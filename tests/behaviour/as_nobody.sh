#!/bin/sh
# Runs a test as the user nobody. Usage: as_nobody.sh PROGRAM FILE   (FILE: another file that the test needs)
# Exits with 77, which counts as skipped, where a test cannot be run as nobody.
[ "$(id -u)" -eq 0 ] || { echo "skipped: the test has just run without root"; exit 77; }
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
as_nobody test -x "$1" -a -r "$2" || { echo "skipped: nobody may not run $1"; exit 77; }
cd / && as_nobody env HOME=/nonexistent "$1"
