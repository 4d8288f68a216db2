#!/usr/bin/env bash
# check.sh CXX SOURCE_TREE: a report with arguments that do not fit the row of its kind does not compile.
set -uo pipefail
cxx=$1 root=$2 failures=0

# compiles STATUS CALL: does the compiler end with success (0) or not (1)?
compiles() {
    printf '#include "sdfgc/Diag/Diag.h"\nusing namespace sdfgc::diag;\nvoid f(Engine &e) { e.report(%s); }\n' "$2" |
        "$cxx" -std=c++20 -fsyntax-only -I"$root/include" -x c++ - >/dev/null 2>&1
    if [ $(($? != 0)) -ne "$1" ]; then
        echo "arguments: e.report($2) should $([ "$1" -eq 0 ] || echo "not ")compile" >&2
        failures=$((failures + 1))
    fi
}

compiles 0 'Id::JsonTooDeep, {}, 3'              # {0:d}
compiles 0 'Id::CompilerUnusable, {}, "a", std::string("b")'
compiles 1 'Id::CompilerUnusable, {}, "a"'       # too few
compiles 1 'Id::CompilerUnusable, {}, "a", "b", "c"'
compiles 1 'Id::JsonTooDeep, {}, "3"'            # text for a number
exit $((failures != 0))
