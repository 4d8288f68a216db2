#!/bin/bash
# What people do with an installed sdfgc. Each part is a test of its own:
#   prefix      install, and move what was installed: the other parts use it from there
#   uninstall   install elsewhere, and remove what was installed, and nothing else
#   cmake       another CMake project (consumer/); touch the graph: sdfgc runs once more, then nothing is left to do; the same for make
#   languages   C, C++, Fortran and Python in an empty CMake project (languages/)
#   static      the same, with static libraries of two programs in one executable, one from a build folder's own CMake project
#   package     the same, from a file of `sdfgc package`; the folder of the target can be packaged again
#   make        the Makefile of the examples
#   folder      the CMake project of a build folder, without sdfgc
#   emulate     the same for a GPU program, with the C++ compiler alone
#   nvcc, hipcc the same with the GPU's compiler
#   deb         the Debian packages, unpacked
#   pip         the Python package, by pip and without a network
#
#   check.sh PART SOURCE_TREE BUILD_TREE OUT      77: skipped, what it needs is not installed
set -euo pipefail
part=$1
source=$2
build=$3
out=$4
work=$out/$part
rm -rf "$work"
mkdir -p "$work"
unset SDFGC_HOME
prefix=$out/prefix/moved
sdfgc=$prefix/bin/sdfgc
expected="vadd: 0 11 22 33 44"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
# quietly WHAT COMMAND...: the output is shown when the command fails, and is in $work/log
quietly() {
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || fail "$what: $(cat "$work/log")"
}
needs() {
    command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; exit 77; }
}
# calls LIBRARY FOLDER: the library gives the expected result through the header of the build folder
calls() {
    cc "$source/examples/vadd.c" -I "$2/include" "$1" -Wl,-rpath,"$(dirname "$1")" -o "$work/example"
    [ "$("$work/example")" = "$expected" ] || fail "$1 gives $("$work/example")"
}
# project FOLDER OPTIONS...: builds the CMake project of a build folder and calls the result
project() {
    local folder=$1
    shift
    quietly "configuring the build folder" cmake -S "$folder" -B "$work/taken" "$@"
    quietly "building the build folder" cmake --build "$work/taken"
    library=$(find "$work/taken" -name libvadd.so)
    [ -n "$library" ] || fail "the project makes no libvadd.so"
}

# calls_from_python PREFIX: the package finds the executable of the same prefix, and Python reads its .pth file.
calls_from_python() {
    local site=$1/lib/python3/dist-packages
    (unset SDFGC PYTHONPATH SDFGC_HOME && cd "$work" && XDG_CACHE_HOME=$work/cache SDFGC_DACE=1 /usr/bin/python3 -B -c "
import os, site, sys
site.addsitedir('$site')
assert 'sdfgc' in sys.modules, 'sdfgc-dace.pth was not read'
import sdfgc
assert os.path.samefile(sdfgc.command(), '$1/bin/sdfgc'), sdfgc.command()
try:
    import numpy as np
except ImportError:
    sys.exit()
C = np.zeros(3)
sdfgc.compile('$source/test/graphs/vadd.sdfg')(np.arange(3.0), np.ones(3), C)
assert C.tolist() == [1, 2, 3], C
") || fail "the Python package of $1"
}

case $part in
prefix)
    quietly installing cmake --install "$build" --prefix "$work/first"
    mv "$work/first" "$prefix"
    "$sdfgc" --version
    calls_from_python "$prefix"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sdfgc.pc)")
    export PKG_CONFIG_PATH
    if command -v pkg-config >/dev/null; then
        [ "$(readlink -f "$(pkg-config --variable=sdfgc sdfgc)")" = "$(readlink -f "$sdfgc")" ] || fail "pkg-config names another executable"
        [ -f "$(pkg-config --variable=datadir sdfgc)/pipelines/cpu.yaml" ] || fail "pkg-config names another data folder"
    fi
    ;;
uninstall)
    # The manifest in the build tree is that of the last installation; the one of a user of this build tree stays.
    manifest=$build/install_manifest.txt
    [ ! -e "$manifest" ] || cp "$manifest" "$work/kept"
    quietly installing cmake --install "$build" --prefix "$work/prefix"
    [ -x "$work/prefix/bin/sdfgc" ] || fail "nothing was installed"
    echo mine >"$work/prefix/bin/other"
    echo mine >"$work/prefix/share/sdfgc/pipelines/mine.yaml"
    quietly uninstalling cmake --build "$build" --target uninstall
    left=$(cd "$work/prefix" && find . -type f -o -type l | sort | tr '\n' ' ')
    [ "$left" = "./bin/other ./share/sdfgc/pipelines/mine.yaml " ] || fail "uninstalling left $left"
    left=$(find "$work/prefix" -name sdfgc -type d)
    [ "$left" = "$work/prefix/share/sdfgc" ] || fail "uninstalling left the folders $left"
    if cmake --build "$build" --target uninstall >"$work/log" 2>&1; then fail "nothing was uninstalled twice"; fi
    grep -q "nothing to uninstall" "$work/log" || fail "uninstalling twice: $(cat "$work/log")"
    [ ! -e "$work/kept" ] || mv "$work/kept" "$manifest"
    ;;
cmake)
    for generator in Ninja "Unix Makefiles"; do
        tree="$work/$generator"
        mkdir -p "$tree"
        cp "$source/test/graphs/vadd.sdfg" "$tree"
        quietly configuring cmake -S "$source/test/Install/consumer" -B "$tree" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
            -DEXAMPLE="$source/examples/vadd.c"
        quietly "building with $generator" cmake --build "$tree"
        [ "$("$tree/consumer")" = "$expected" ] || fail "$generator: the consumer printed $("$tree/consumer")"
        grep -q ffp-contract=fast "$tree/vadd.build/.sdfgc/commands.sh" || fail "OPTIONS do not reach sdfgc"

        library=$tree/vadd.build/lib/libvadd.so
        content=$(sha1sum <"$library")
        sleep 0.02 # time stamps count in ticks
        touch "$tree/vadd.sdfg"
        quietly "building again" cmake --build "$tree"
        grep -q "sdfgc vadd" "$work/log" || fail "$generator: a touched graph is not looked at: $(cat "$work/log")"
        [ "$content" = "$(sha1sum <"$library")" ] || fail "$generator: a touched graph gave another library"
        quietly "building a third time" cmake --build "$tree"
        ! grep -q "sdfgc vadd" "$work/log" || fail "$generator: there is always something to do: $(cat "$work/log")"
        # A changed interface reaches the C file in the same run.
        sleep 0.02
        sed -i 's/"N"/"M"/g; s/\$N/$M/g' "$tree/vadd.sdfg"
        quietly "building the changed graph" cmake --build "$tree"
        [ "$("$tree/consumer")" = "$expected" ] || fail "$generator: after a change the consumer printed $("$tree/consumer")"
        grep -q "int64_t M" "$tree/vadd.build/include/vadd.h" || fail "$generator: the header is an old one"
    done
    ;;
static)
    "$sdfgc" emit "$source/test/graphs/vadd.sdfg" --static -o "$work/vadd.build"
    cp -r "$source/test/Install/static" "$work/project"
    quietly configuring cmake -S "$work/project" -B "$work/tree" -DCMAKE_PREFIX_PATH="$prefix" -DVADD="$work/vadd.build" \
        -DCALLER="$source/test/lit/build/Inputs/two.c"
    quietly building cmake --build "$work/tree"
    [ "$("$work/tree/two")" = "11 10989, 2 16" ] || fail "the program printed $("$work/tree/two")"
    ! ldd "$work/tree/two" | grep -q "libvadd\|libmatmul" || fail "the program needs shared libraries: $(ldd "$work/tree/two")"
    quietly "building again" cmake --build "$work/tree"
    ! grep -q "sdfgc matmul" "$work/log" || fail "there is always something to do: $(cat "$work/log")"
    ;;
package)
    "$sdfgc" build "$source/test/graphs/vadd.sdfg" --cpu x86-64 -o "$work/vadd.build" --quiet
    "$sdfgc" package "$work/vadd.build" -o "$work/vadd.sdfgc.zip"
    quietly configuring cmake -S "$source/test/Install/package" -B "$work/tree" -DCMAKE_PREFIX_PATH="$prefix" \
        -DPACKAGE="$work/vadd.sdfgc.zip" -DEXAMPLE="$source/examples/vadd.c"
    for what in "the package" "the package, touched"; do
        quietly "building with $what" cmake --build "$work/tree"
        grep -q "sdfgc unpack vadd" "$work/log" || fail "$what was not unpacked: $(cat "$work/log")"
        [ "$("$work/tree/consumer")" = "$expected" ] || fail "the consumer printed $("$work/tree/consumer")"
        quietly "building again" cmake --build "$work/tree"
        ! grep -q "sdfgc unpack" "$work/log" || fail "there is always something to do: $(cat "$work/log")"
        "$sdfgc" package "$work/tree/vadd.build" -o "$work/again.sdfgc.zip"
        cmp "$work/vadd.sdfgc.zip" "$work/again.sdfgc.zip" || fail "the folder gives another package"
        sleep 0.02
        touch "$work/vadd.sdfgc.zip"
    done
    ;;
languages)
    quietly configuring cmake -S "$source/test/Install/languages" -B "$work/tree" -DCMAKE_PREFIX_PATH="$prefix" -DBINDINGS="$source/test/Bindings" \
        -DCMAKE_INSTALL_PREFIX="$work/installed" -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib'
    quietly building cmake --build "$work/tree"
    quietly "tests of the languages" ctest --test-dir "$work/tree" --output-on-failure
    command -v gfortran >/dev/null || echo "without Fortran: gfortran is not installed"
    quietly "installing the project" cmake --install "$work/tree"
    rm -rf "$work/tree"
    "$work/installed/bin/use_c" | diff - "$source/test/Bindings/expected.txt" || fail "the installed program"
    ;;
make)
    needs pkg-config
    cp -r "$(find "$prefix" -type d -name examples)" "$work/examples"
    cd "$work/examples"
    [ "$(make --no-print-directory SDFGC="$sdfgc" run | tail -1)" = "$expected" ] || fail "the Makefile of the examples"
    quietly "make again" make SDFGC="$sdfgc" app
    grep -q "is up to date" "$work/log" || fail "make has something to do again: $(cat "$work/log")"
    sleep 0.02
    touch vadd.sdfg
    quietly "make with a touched graph" make SDFGC="$sdfgc" app
    grep -q "sdfgc build" "$work/log" || fail "make does not see the graph: $(cat "$work/log")"
    quietly "make after that" make SDFGC="$sdfgc" app
    grep -q "is up to date" "$work/log" || fail "make always has something to do: $(cat "$work/log")"
    ;;
folder)
    "$sdfgc" emit "$source/test/graphs/vadd.sdfg" -o "$work/vadd.build"
    project "$work/vadd.build"
    calls "$library" "$work/vadd.build"
    ;;
emulate)
    "$sdfgc" emit "$source/test/graphs/vadd.sdfg" --target cuda -o "$work/cuda"
    "$sdfgc" emit "$source/test/graphs/vadd.sdfg" --target hip --emulate -o "$work/hip"
    project "$work/cuda" -DSDFGC_EMULATE=ON
    calls "$library" "$work/cuda"
    quietly "configuring what was written for the emulation" cmake -S "$work/hip" -B "$work/hip_taken"
    grep -q "^SDFGC_EMULATE:BOOL=ON" "$work/hip_taken/CMakeCache.txt" || fail "--emulate is no default of the project"
    ;;
nvcc | hipcc)
    PATH=$PATH:/usr/local/cuda/bin:/opt/rocm/bin
    needs "$part"
    if [ "$part" = nvcc ]; then target=cuda arch=sm_80,sm_90 macro=CUDA; else target=hip arch=gfx90a macro=HIP; fi
    "$sdfgc" emit "$source/test/graphs/vadd.sdfg" --target $target --gpu-arch $arch -o "$work/gpu"
    project "$work/gpu"
    grep -q "set(CMAKE_${macro}_ARCHITECTURES" "$work/gpu/CMakeLists.txt" || fail "no architectures"
    symbols=$(nm -D "$library")
    [[ $symbols == *" T __program_vadd"* ]] || fail "the library has no program: $symbols"
    if [ "$part" = nvcc ] && command -v cuobjdump >/dev/null; then
        [[ $(cuobjdump --list-elf "$library") == *sm_90* ]] || fail "no code for sm_90"
    fi
    ;;
pip)
    /usr/bin/python3 -c 'import setuptools, wheel, pip' 2>/dev/null || { echo "skipped: pip, setuptools or wheel is not installed"; exit 77; }
    cp -r "$source/bindings/python" "$work/package" # pip writes into the folder
    quietly pip /usr/bin/python3 -m pip install --no-build-isolation --no-deps --no-index --disable-pip-version-check --target \
        "$work/new/lib/python3/dist-packages" "$work/package"
    mkdir "$work/new/bin"
    ln -s "$sdfgc" "$work/new/bin/sdfgc"
    calls_from_python "$work/new"
    ;;
deb)
    needs dpkg-deb
    (cd "$build" && quietly cpack cpack -G DEB -B "$work")
    package=$(find "$work" -maxdepth 1 -name 'sdfgc_*.deb')
    [[ $(dpkg-deb --field "$package" Depends) == *libstdc++6* ]] || fail "the package depends on nothing: $(dpkg-deb --info "$package")"
    dpkg-deb -x "$package" "$work/root"
    "$work/root/usr/bin/sdfgc" build "$source/test/graphs/vadd.sdfg" -o "$work/vadd.build" --quiet
    calls "$work/vadd.build/lib/libvadd.so" "$work/vadd.build"
    mkdir "$work/tree"
    cp "$source/test/graphs/vadd.sdfg" "$work/tree"
    quietly configuring cmake -S "$source/test/Install/consumer" -B "$work/tree" -DCMAKE_PREFIX_PATH="$work/root/usr" -DEXAMPLE="$source/examples/vadd.c"
    quietly building cmake --build "$work/tree"
    [ "$("$work/tree/consumer")" = "$expected" ] || fail "the consumer of the package"
    [ ! -e "$work/root/usr/lib/python3" ] || fail "the Python package is in the package of the executable"
    package=$(find "$work" -maxdepth 1 -name 'python3-sdfgc_*_all.deb')
    [[ $(dpkg-deb --field "$package" Depends) == "python3, sdfgc (>= "* ]] || fail "python3-sdfgc depends on $(dpkg-deb --field "$package" Depends)"
    dpkg-deb -x "$package" "$work/root"
    [ -z "$(find "$work/root" -path '*/usr/*' -prune -o -type f -print)" ] || fail "the package has files outside /usr"
    calls_from_python "$work/root/usr"
    ;;
esac
