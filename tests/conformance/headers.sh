#!/usr/bin/env bash
# Compiles every header of the interface: the C headers as C11, C17, C++17 and C++20, the C++ helpers as C++20; each one
# alone, each one twice, and all together; with strict options, and with every compiler that is installed.
# Usage: headers.sh INCLUDE_FOLDER C_COMPILER CXX_COMPILER
set -euo pipefail
include=$1
shift
c_compilers=("$1")
cxx_compilers=("$2")
command -v clang >/dev/null && c_compilers+=(clang)
command -v clang++ >/dev/null && cxx_compilers+=(clang++)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-pedantic -Wall -Wextra -Werror -Wconversion -Wshadow -fsyntax-only -I "$include")
compiled=0
failed=0

# compile COMPILER LANGUAGE STANDARD LABEL: compiles standard input.
compile() {
  cat >"$scratch/unit"
  compiled=$((compiled + 1))
  "$1" -x "$2" -std="$3" "${flags[@]}" "$scratch/unit" || {
    echo "$4 does not compile with $1 -std=$3" >&2
    failed=1
  }
}

mapfile -t c_headers < <(cd "$include" && find wtool -name '*.h' | sort)
mapfile -t cxx_headers < <(cd "$include" && find wtool -name '*.hpp' | sort)
[ "${#c_headers[@]}" -ge 4 ] || { echo "only ${#c_headers[@]} C headers in $include" >&2; exit 1; }

for header in "${c_headers[@]}"; do
  twice=$(printf '#include <%s>\n#include <%s>\nint unused_but_not_empty;\n' "$header" "$header")
  for standard in c11 c17; do
    for compiler in "${c_compilers[@]}"; do compile "$compiler" c "$standard" "$header" <<<"$twice"; done
  done
  for standard in c++17 c++20; do
    for compiler in "${cxx_compilers[@]}"; do compile "$compiler" c++ "$standard" "$header" <<<"$twice"; done
  done
done
for header in "${cxx_headers[@]}"; do
  for compiler in "${cxx_compilers[@]}"; do
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" | compile "$compiler" c++ c++20 "$header"
  done
done
for compiler in "${cxx_compilers[@]}"; do
  printf '#include <%s>\n' "${c_headers[@]}" "${cxx_headers[@]}" | compile "$compiler" c++ c++20 "all headers together"
done

# Outside comments, the C headers must have no enum, bool, long, unsigned or bit field: compilers choose their sizes.
for header in "${c_headers[@]}"; do
  if "${c_compilers[0]}" -fpreprocessed -dD -E -P -x c "$include/$header" 2>/dev/null |
    grep -nE '\<(enum|bool|_Bool|long|unsigned)\>|^ *u?int[0-9]+_t +[a-z_]+ *:' ; then
    echo "$header has a type whose size is not fixed" >&2
    failed=1
  fi
done
echo "$compiled compilations"
exit "$failed"
