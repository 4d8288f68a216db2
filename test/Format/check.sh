#!/usr/bin/env bash
# Are all sources of C and C++ as .clang-format says? Prints the first lines of what differs. The version matters: others break lines
# elsewhere. Exit status 77 (skipped) where the tool is missing.
#
#   check.sh ROOT        to mend: clang-format-14 -i FILE
set -uo pipefail
cd "${1:?the root of the sources}" || exit 1
command -v clang-format-14 >/dev/null || exit 77
faults=$(find lib include tools test runtime-headers examples bindings -name '*.cpp' -o -name '*.h' -o -name '*.hpp' | LC_ALL=C sort |
    xargs clang-format-14 --dry-run --Werror --ferror-limit=1 2>&1 | grep -m 20 'error:')
[ -z "$faults" ] || { echo "$faults"; exit 1; }
