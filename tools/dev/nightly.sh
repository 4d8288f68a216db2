#!/usr/bin/env bash
# Runs the long sweeps, one after another, and prints a line for each: passed, failed or skipped, and the last line of its output.
#
#   tools/dev/nightly.sh [--conformance FOLDER] [--suite FOLDER --dace CHECKOUT] [--jobs N] [--out FOLDER] [PART...]
#
# PART picks sweeps by name (default: all):
#
#   tests        everything that CI runs, and the lit tests that need minutes
#   interpreter  recorded programs in the interpreter, as graphs and as trees
#   validate     every pass judged on every tenth recorded program
#   threads      recorded programs called again and again with 1, 2, 3 and 8 threads; sums in order leave the same bits
#   sanitizers   sdfgc and generated programs under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
#   same         same input, same bytes; graphs are what their text says after every pass
#   hostile      builds that are killed, on full disks, by several users
#   random       random programs and damaged graphs
#   gradients    gradients against differences, against tangents, and between devices
#   resources    what kernels take of a GPU, as nvcc says: registers, spills, shared memory, divisions
#   opencl       recorded GPU programs with OpenCL on the processor (PoCL), and a checker for races (Oclgrind)
#   foreign      recorded programs for Arm processors with SVE, under QEMU
#   compilers    what each installed compiler does to recorded and random programs and loops, and which known faults it has
#   dace         DaCe's own tests with sdfgc as code generator; the last line counts what passed and failed
#   unsimplified the same with DACE_optimizer_automatic_simplification=0: graphs as the front end leaves them, nothing inlined
#
# FOLDER of --conformance has cases/ and cases-gpu/, and perf is beside it (default: ../shared/conformance); that of --suite has `run` (default: ../shared/dace-suite).
# Sweeps whose input is missing are skipped. The full output of a sweep is in FOLDER/PART.log (default: build/nightly). Exit status 1 if any failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

conformance=../shared/conformance suite=../shared/dace-suite dace= jobs=$(nproc) out=build/nightly parts=()
while [ $# -gt 0 ]; do
    case $1 in
    --conformance) conformance=${2:?}; shift ;;
    --suite) suite=${2:?}; shift ;;
    --dace) dace=${2:?}; shift ;;
    --jobs) jobs=${2:?}; shift ;;
    --out) out=${2:?}; shift ;;
    -*) echo "nightly.sh: unknown option $1" >&2; exit 2 ;;
    *) parts+=("$1") ;;
    esac
    shift
done
all=(tests interpreter validate threads sanitizers same hostile random gradients resources opencl foreign compilers dace unsimplified)
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
for part in "${parts[@]}"; do
    [[ " ${all[*]} " == *" $part "* ]] || { echo "nightly.sh: no sweep is called $part; there are: ${all[*]}" >&2; exit 2; }
done
mkdir -p "$out"
cases=$conformance/cases
programs=$(dirname "$conformance")/perf
lists=test/conformance
tools=tools/dev

tests() { $tools/test.sh --nightly; }
interpreter() {
    needs "$cases" || return
    $tools/interpret_cases.py --jobs "$jobs" --expect $lists/interpreter.txt "$cases" &&
        $tools/interpret_cases.py --tree cpu --jobs "$jobs" --expect $lists/interpreter.txt "$cases"
}
validate() { needs "$cases" && $tools/validate_cases.py --sample 10 --jobs "$jobs" "$cases"; }
threads() {
    needs "$cases" || return
    $tools/repeat_cases.py --jobs 1 --expect $lists/threads.txt --expect $lists/known-failures.txt "$cases" &&
        $tools/ordered_cases.py --sample 4 --jobs "$jobs" --expect $lists/threads.txt "$cases"
}
sanitizers() { $tools/sanitize.sh address thread programs applications --sample 10; }
same() { needs "$cases" && $tools/determinism.sh build/bin/sdfgc "$cases" && $tools/text_form.sh "$cases"; }
hostile() { $tools/hostile_builds.py --kills 1000; }
random() {
    build/bin/randomPrograms --seed "$(date +%s)" --runs 20000 && $tools/mutate_graphs.sh --runs 20000 --seed "$(date +%s)" test/graphs &&
        $tools/build_mutants.py --runs 2000 --seed "$(date +%s)" --targets cpu,cuda,hip --jobs "$jobs" test/graphs test/Interpret/programs
}
gradients() { $tools/random_gradients.py --runs 1000 && $tools/agree_gradients.py --jobs "$jobs" test/graphs; }
foreign() {
    needs "$cases" || return
    command -v qemu-aarch64 aarch64-linux-gnu-g++ >/dev/null || { echo "qemu-aarch64 or aarch64-linux-gnu-g++ was not found"; return 77; }
    $tools/foreign_cases.py --sample 5 --jobs "$jobs" --expect $lists/known-failures.txt "$cases" -- --cflags -O1
}
opencl() {
    needs "$cases" && needs /etc/OpenCL/vendors/pocl.icd || return
    local status=0
    export SDFGC_OPENCL_DEVICE=Portable # of PoCL
    "$conformance/run" --sdfgc build/bin/sdfgc --target opencl --cases "$conformance/cases-gpu" --jobs "$jobs" --verbose \
        --expect $lists/known-failures-opencl.txt -- --cflags -O1 || status=1
    "$conformance/run" --sdfgc build/bin/sdfgc --target opencl --cases "$cases" --sample 10 --jobs "$jobs" --verbose \
        --expect $lists/known-failures-opencl-offload.txt -- --cflags -O1 --pass-option offload-to-gpu.few-elements=true || status=1
    unset SDFGC_OPENCL_DEVICE
    $tools/oclgrind.sh
    [ $? -eq 1 ] && status=1
    return $status
}
resources() {
    needs "$programs" || return
    command -v nvcc >/dev/null || { echo "nvcc was not found"; return 77; }
    $tools/kernel_resources.py --further sm_75,sm_120 --jobs "$jobs" $lists/gpu-resources.txt "$programs"
}
compilers() {
    needs "$cases" || return
    local cc status=0
    for cc in $(compgen -c | grep -xE '(g|clang)\+\+(-[0-9]+)?' | sort -u); do
        echo "== $cc" && build/bin/sdfgc doctor --compiler --cc "$cc" &&
            $tools/compare_compilers.py --cc "$cc" --sample 10 --random 300 --loops 2000 --seed "$(date +%s)" --jobs "$jobs" "$cases" || status=1
    done
    return $status
}
dace() { needs "$suite/run" && needs "$dace" && "$suite/run" --sdfgc build/bin/sdfgc --dace "$dace" --jobs "$jobs" --out "$out/dace"; }
unsimplified() {
    needs "$suite/run" && needs "$dace" &&
        DACE_optimizer_automatic_simplification=0 "$suite/run" --sdfgc build/bin/sdfgc --dace "$dace" --jobs "$jobs" --out "$out/unsimplified"
}

# Skips a sweep unless its input exists.
needs() {
    [ -e "$1" ] && return
    echo "${1:-the checkout of --dace} does not exist"
    return 77
}

failed=0
for part in "${parts[@]}"; do
    begin=$SECONDS
    "$part" > "$out/$part.log" 2>&1
    status=$?
    case $status in
    0) verdict=passed ;;
    77) verdict=skipped ;;
    *) verdict="failed with status $status" failed=1 ;;
    esac
    printf '%-12s %5d s  %s: %s\n' "$part" $((SECONDS - begin)) "$verdict" "$(tail -n 1 "$out/$part.log")"
done
exit $failed
