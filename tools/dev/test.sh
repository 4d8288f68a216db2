#!/usr/bin/env bash
# Builds sdfgc and runs every test: CTest, then real programs from ../shared/conformance if it exists, on the CPU and on the
# emulated GPU. The last line is `N passed, N failed, N skipped` over all; conformance cases that are known to fail
# (test/conformance/known-failures*.txt) are not counted. Exit status 0 only if nothing failed.
#
#   tools/dev/test.sh [--no-conformance] [--filter REGEX] [--nightly]     REGEX picks conformance cases
#
# --nightly: also the tests that take minutes and cover more of what other tests check (`REQUIRES: nightly` in test/lit).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

conformance=../shared/conformance/run
filter=
while [ $# -gt 0 ]; do
    case $1 in
    --no-conformance) conformance= ;;
    --nightly) export SDFGC_NIGHTLY=1 ;;
    --filter) filter=${2:?--filter needs a regular expression}; shift ;;
    *) echo "test.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift
done

tools/dev/build.sh --tests || exit 1

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0

ctest --preset release --parallel "$(nproc)" --timeout 600 | tee "$log" || status=1
if ! read -r passed failed skipped < <(tools/dev/count_tests.sh <"$log"); then
    echo "test.sh: CTest gave no summary" >&2
    passed=0 failed=0 skipped=0
    status=1
fi

# Uses the same OpenBLAS kernels on every machine: in one case (nbody) the rounding of a product decides where bodies move.
grep -qw avx2 /proc/cpuinfo && export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-Haswell}

# sweep NAME COMMAND...: counts what a command reports as `1700 passed, 32 failed`. Of the failures, only those are counted that it
# calls `regressed: `, not the known ones.
sweep() {
    local name=$1 good bad unexpected
    shift
    "$@" | tee "$log"
    if read -r good bad < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log"); then
        unexpected=$(grep -c '^regressed: ' "$log")
        [ "$unexpected" -eq 0 ] || status=1
        echo "$name: $good passed, $bad failed, $unexpected of them against expectation"
        passed=$((passed + good))
        failed=$((failed + unexpected))
    else
        echo "test.sh: $name gave no summary" >&2
        status=1
    fi
}

# conformance NAME LIST ARGUMENT...: runs cases.
conformance() {
    local name=$1 list=$2
    shift 2
    sweep "conformance, $name" "$conformance" --sdfgc build/bin/sdfgc --verbose --filter "$filter" --expect "$list" "$@"
}

if [ -n "$conformance" ] && [ -x "$conformance" ] && [ -x build/bin/sdfgc ]; then
    conformance cpu test/conformance/known-failures.txt
    # On the emulated GPU: all graphs that DaCe offloaded, and every tenth that sdfgc offloads itself.
    conformance "GPU graphs" test/conformance/known-failures-gpu.txt --target cuda --cases "$(dirname "$conformance")/cases-gpu" -- --emulate --cflags -O1
    conformance "offloaded by sdfgc" test/conformance/known-failures-offload.txt --target cuda --sample 10 -- --emulate --cflags -O1 --pass-option offload-to-gpu.few-elements=true
    # What the programs of NPBench do on a GPU: as listed, and as counted.
    programs=$(dirname "$conformance")/../perf
    [ ! -d "$programs" ] || sweep "GPU operations" tools/dev/gpu_operations.py --count 6 test/conformance/gpu-operations.txt "$programs"
fi

# A lit folder is one test to CTest; the number of tests that lit skips (` Unsupported: 12`) is in CTest's log.
unsupported=$(sed -n 's/^ *Unsupported *: *\([0-9]*\)$/\1/p' build/Testing/Temporary/LastTest.log | awk '{ n += $1 } END { if (n) print n }')
[ -z "$unsupported" ] || echo "lit: $unsupported of its tests need what this machine does not have, and were left out"

echo "$passed passed, $failed failed, $skipped skipped"
exit $status
