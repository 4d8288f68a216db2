#!/bin/bash
# Calls the program `kinds`, which has an argument of every kind, through the interface that a build folder has for a language.
# Every caller prints the same lines. Two programs for the GPU are there for manifests, device memory and the counters of GPU graphs.
#
#   check.sh build|manifest|c|cpp|fortran|python|checked|reload|gpu|sizes SDFGC OUT       77: skipped, what it needs is not installed
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
part=$1
sdfgc=$2
out=$3
mkdir -p "$out"
cd "$out"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
needs() {
    command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; exit 77; }
}
# as_expected TITLE COMMAND...
as_expected() {
    title=$1
    shift
    "$@" >"$part.printed" || fail "$title: exit status $?: $(cat "$part.printed")"
    diff "$here/expected.txt" "$part.printed" || fail "$title prints something else"
}
library=(-I kinds/include kinds/lib/libkinds.so -Wl,-rpath,"$out/kinds/lib")

case $part in
build)
    "$sdfgc" build "$here/kinds.sdfg" -o kinds --quiet
    sed 's/"dtype":"float64"/"dtype":"float64","storage":"GPU_Global"/' "$here/../graphs/vadd.sdfg" >on_device.sdfg
    "$sdfgc" build on_device.sdfg --target cuda --emulate -o gpu --quiet
    "$sdfgc" build "$here/../graphs/converge.sdfgt" --target cuda --emulate --gpu-graph require --cflags -O0 -o loop --quiet
    ;;
manifest)
    # With arguments of every kind; in device memory; with a GPU graph that has a loop.
    grep -q '"conditions": true' loop/manifest.json || fail "the manifest of converge has no GPU graph with a loop"
    /usr/bin/python3 "$here/validate.py" "$here/../../schemas/manifest.schema.json" {kinds,gpu,loop}/manifest.json
    ;;
c)
    for standard in c99 c11; do
        cc -std=$standard -Wall -Wextra -pedantic -Werror "$here/use.c" "${library[@]}" -o use_c
        as_expected "C ($standard)" ./use_c
    done
    ;;
cpp)
    for standard in c++17 c++20; do
        c++ -std=$standard -Wall -Wextra -pedantic -Werror "$here/use.cpp" "${library[@]}" -o use_cpp
        as_expected "C++ ($standard)" ./use_cpp
    done
    ;;
fortran)
    needs gfortran
    gfortran -std=f2018 -Wall -Werror -J . kinds/include/kinds.f90 "$here/use.f90" "${library[@]}" -o use_fortran
    as_expected Fortran ./use_fortran 2>/dev/null
    gfortran -std=f2018 -Wall -Werror -J . loop/include/converge.f90 "$here/graphs.f90" loop/lib/libconverge.so -Wl,-rpath,"$out/loop/lib" \
        -o graphs_fortran
    ./graphs_fortran 2>/dev/null >counters.printed || fail "the counters of GPU graphs: $(cat counters.printed)"
    diff "$here/counters.txt" counters.printed || fail "the counters of GPU graphs are others"
    ;;
python)
    PYTHONPATH=kinds/python as_expected Python /usr/bin/python3 "$here/use.py"
    PYTHONPATH=kinds/python /usr/bin/python3 "$here/signatures.py" kinds
    PYTHONPATH=gpu/python /usr/bin/python3 "$here/signatures.py" vadd \
        '(A: float64[N], B: float64[N], C: float64[N], N: int = ...) -> None'
    # Names that Python cannot spell as parameters.
    "$sdfgc" emit "$here/odd.sdfgt" -o odd --quiet
    PYTHONPATH=odd/python /usr/bin/python3 "$here/signatures.py" odd \
        '(A: float64[N], *positional_, N: int = ..., positional: float = ..., self: float = ..., **named) -> numpy.ndarray'
    ;;
checked)
    # Arguments that no program can take are errors of the call, in five languages.
    "$sdfgc" build "$here/checked.sdfgt" -o checked --quiet --caller --cflags -O0
    link=(-I checked/include checked/lib/libchecked.so -Wl,-rpath,"$out/checked/lib")
    cc -std=c99 -Wall -Wextra -Werror "$here/checked.c" "${link[@]}" -o checked_c
    ./checked_c | diff "$here/checked.txt" - || fail "C: other codes or messages"
    c++ -std=c++17 -Wall -Wextra -Werror "$here/checked.cpp" "${link[@]}" -o checked_17
    ./checked_17 | diff "$here/checked.txt" - || fail "C++17: other codes or messages"
    c++ -std=c++20 -Wall -Wextra -Werror "$here/checked.cpp" "${link[@]}" -o checked_20
    ./checked_20 | sed 's/4 \([A-Za-z]*\) has 0 elements.*/4 argument `\1` is null/' | diff "$here/checked.txt" - ||
        fail "C++20: other codes or messages"
    if command -v gfortran >/dev/null; then
        gfortran -std=f2018 -Wall -Werror -J . checked/include/checked.f90 "$here/checked.f90" "${link[@]}" -o checked_fortran
        ./checked_fortran | sed 's/ *$//' | diff <(sed -n '1,4p; 1p' "$here/checked.txt" | sed 's/ *$//' | sort) <(sort -) ||
            fail "Fortran: other codes or messages"
    fi
    PYTHONPATH=checked/python /usr/bin/python3 "$here/use_checked.py" >printed
    printf '%s\n' 0 TypeError ValueError ValueError 0 | diff - printed || fail "Python: other errors"
    run=(checked/bin/checked_main maybe=zeros s=zeros given=0 M=3)
    "${run[@]}" N=4 A=1 B=1 || fail "the caller fails with arguments that are right"
    ! "${run[@]}" N=4 A=null B=1 2>printed && grep -q 'the program failed: argument `A` is null' printed || fail "caller: $(cat printed)"
    ! "${run[@]}" N=-4 A=1 B=1 2>printed && grep -q 'its shape would be' printed || fail "caller: $(cat printed)"
    "${run[@]}" N=1 A=1 B=null || fail "the caller may leave out memory without elements"
    ;;
reload)
    /usr/bin/python3 "$here/reload.py" "$sdfgc" "$out/reload"
    ;;
gpu)
    # Arguments in device memory, and a stream of the caller.
    PYTHONPATH=gpu/python /usr/bin/python3 - <<'END'
import numpy as np
import vadd
assert all(a['storage'] == 'GPU_Global' for a in vadd.INTERFACE['arguments'] if a['kind'] == 'array')
with vadd.Program() as program:
    A, B, C = (program.to_device(x) for x in (np.arange(5.0), np.full(5, 10.0), np.zeros(5)))
    program(A=A, B=B, C=C)
    assert C.get().tolist() == [10, 11, 12, 13, 14], C.get()
    program.set_stream(None)
    program(A=C, B=B, C=C)
    assert C.get().tolist() == [20, 21, 22, 23, 24], C.get()
    try:
        program.set_stream(None, index=7)
        raise SystemExit('stream 7 was found')
    except ValueError as e:
        assert 'no stream 7' in str(e), e
    try:
        program(A=np.arange(5.0), B=B, C=C)
        raise SystemExit('host memory was taken for device memory')
    except TypeError as e:
        assert 'must lie in device memory' in str(e), e
END
    ;;
sizes)
    # Sizes that only copies to the device need: callers of the C functions set them, the others take them from arrays.
    "$sdfgc" build "$here/sizes.sdfgt" --target cuda --place device --emulate -o sizes --quiet --caller --cflags -O0
    /usr/bin/python3 "$here/validate.py" "$here/../../schemas/manifest.schema.json" sizes/manifest.json
    link=(-I sizes/include sizes/lib/libsizes.so -Wl,-rpath,"$out/sizes/lib")
    unset_m='4 the size `m` is not set: call sizes_set_size_m before the program'
    cc -std=c99 -Wall -Wextra -pedantic -Werror "$here/sizes.c" "${link[@]}" -o sizes_c
    ./sizes_c 2>sizes.errors | diff "$here/sizes.txt" - || fail "C: other codes, messages or results"
    grep -qx 'error: the size `M` is not set: call sizes_set_size_M before the program' sizes.errors ||
        fail "C: nothing is printed for callers that know only DaCe's interface"
    for standard in 17 20; do
        c++ -std=c++$standard -Wall -Wextra -pedantic -Werror "$here/sizes.cpp" "${link[@]}" -o sizes_cpp
        ./sizes_cpp 2>/dev/null | diff <(printf '%s\n' "$unset_m" '0  1114 1215 1316' '0  1114 1215 1316' \
            '4 the size n does not fit into its type') - || fail "C++$standard: other codes, messages or results"
    done
    PYTHONPATH=sizes/python /usr/bin/python3 "$here/use_sizes.py" 2>/dev/null >printed
    diff <(printf '%s\n' "$unset_m" '0 [1114. 1215. 1316.]' '0 [1114. 1215. 1316.]' ValueError TypeError) printed ||
        fail "Python: other codes, messages or results"
    PYTHONPATH=sizes/python /usr/bin/python3 "$here/signatures.py" sizes
    if command -v gfortran >/dev/null; then
        gfortran -std=f2018 -Wall -Werror -J . sizes/include/sizes.f90 "$here/sizes.f90" "${link[@]}" -o sizes_fortran
        ./sizes_fortran 2>/dev/null | diff <(printf '%s\n' "$unset_m 0 0 0" '0  1114 1215 1316') - ||
            fail "Fortran: other codes, messages or results"
    fi
    main=(sizes/bin/sizes_main K=3 M=2 n=2 P=3 A=1 c=10 q=100 r=1000 --out s=s.npy)
    "${main[@]}" m=3 || fail "the caller fails with all sizes"
    ! "${main[@]}" 2>printed && grep -q 'argument `m` has no value' printed || fail "caller: $(cat printed)"
    ;;
esac
