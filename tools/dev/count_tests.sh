#!/usr/bin/env bash
# Reads CTest's output from standard input and prints `PASSED FAILED SKIPPED`. CTest's own summary counts skipped tests as passed.
# Exit status 1 if there is no summary.
set -euo pipefail
awk '
    # `99% tests passed, 1 tests failed out of 120`
    /^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+/ { failed = $4; total = $NF; found = 1 }
    # `      3 - bindings.fortran (Skipped)`, in the list of tests that did not run; disabled ones are not in the total
    /^The following tests did not run:/ { in_list = 1; next }
    /^$/ { in_list = 0 }
    in_list && / \(Skipped\)$/ { ++skipped }
    END {
        if (!found)
            exit 1
        print total - failed - skipped, failed + 0, skipped + 0
    }'
