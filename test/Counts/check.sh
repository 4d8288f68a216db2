#!/bin/bash
# What tools/dev/count_tests.sh makes of CTest's own output: skipped tests are counted apart, disabled ones not at all.
#
#   check.sh SOURCE OUT
set -euo pipefail
count=$1/tools/dev/count_tests.sh
out=$2
rm -rf "$out"
mkdir -p "$out"

# check EXPECTED: counts what the tests in $out/CTestTestfile.cmake come to.
check() {
    local got
    got=$( (cd "$out" && ctest 2>/dev/null || true) | "$count")
    [ "$got" = "$1" ] || { echo "FAILED: $got, but $1 is right for" >&2; cat "$out/CTestTestfile.cmake" >&2; exit 1; }
}

cat >"$out/CTestTestfile.cmake" <<'END_OF_TESTS'
add_test(good /bin/true)
add_test(also_good /bin/true)
add_test(bad /bin/false)
add_test(by_status /bin/sh -c "exit 77")
add_test(by_text /bin/echo "skipped: no compiler")
add_test(off /bin/true)
add_test(absent /nonexistent/program)
add_test("named (Skipped)" /bin/true)
set_tests_properties(by_status PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(by_text PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
set_tests_properties(off PROPERTIES DISABLED TRUE)
END_OF_TESTS
check "3 2 2"

echo 'add_test(good /bin/true)' >"$out/CTestTestfile.cmake"
check "1 0 0"

printf 'add_test(skipped /bin/sh -c "exit 77")\nset_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)\n' >"$out/CTestTestfile.cmake"
check "0 0 1"

if echo 'No tests were found!!!' | "$count"; then
    echo "FAILED: output without a summary is counted" >&2
    exit 1
fi
