#!/usr/bin/env bash
# The plugin exports one name, and nothing else: anything more could clash with its host, or become a promise.
# Usage: exports.sh PLUGIN.so
set -euo pipefail
exported=$(nm -D --defined-only --format=posix "$1" | awk '$2 != "A" { print $1 }' | sed 's/@.*//' | sort -u)
if [ "$exported" != wtool_entry_v1 ]; then
  echo "$1 should export wtool_entry_v1 alone, but exports:" >&2
  printf '%s\n' "$exported" >&2
  exit 1
fi
# The entry is constant data, so nothing runs to make it. It is read-only once it is relocated, so nm shows D or R.
grep -qE ' [DR] wtool_entry_v1' <<<"$(nm -D --defined-only "$1")" || { echo "wtool_entry_v1 is not a data symbol" >&2; exit 1; }
