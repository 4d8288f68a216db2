#!/bin/bash
# Loads a completion script in its shell and asks it; looks for warnings of groff in the manual page.
#
#   check.sh bash|zsh|fish|man SDFGC       77: skipped, the program is not installed
set -euo pipefail
part=$1
sdfgc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
touch prog.sdfg other.sdfgz notes.txt
mkdir folder
PATH=$(dirname "$sdfgc"):$PATH

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
needs() {
    command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; exit 77; }
}

case $part in
bash)
    "$sdfgc" completions bash -o script
    source ./script
    # completes WORDS... EXPECTED: the last word but one is being typed
    completes() {
        local expected=${*: -1}
        COMP_WORDS=("${@:1:$#-1}")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMPREPLY=()
        _sdfgc || true # no match is a status, too
        [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' ')" = "$expected" ] || fail "${COMP_WORDS[*]}: ${COMPREPLY[*]}, expected $expected"
    }
    completes sdfgc che check
    completes sdfgc --v --version
    completes sdfgc build --targ --target
    completes sdfgc build --target cu cuda
    completes sdfgc build --target = h hip
    completes sdfgc build --fp-model '' "contract fast strict"
    completes sdfgc build --reductions '' "any ordered"
    completes sdfgc build --vector-math '' "auto libmvec none sleef"
    completes sdfgc build '' "folder other.sdfgz prog.sdfg"
    completes sdfgc build --dump-dir '' folder
    completes sdfgc opt --depfile no notes.txt
    completes sdfgc opt --print-after infer-types,resolve-w infer-types,resolve-wcr
    completes sdfgc opt -q prog.sdfg --print-after-c --print-after-change
    completes sdfgc opt --passes infer-types,resolve-w infer-types,resolve-wcr
    completes sdfgc passes --passes resolve-w resolve-wcr
    completes sdfgc passes resolve-w resolve-wcr
    completes sdfgc nodes blas.Gem "blas.Gemm blas.Gemv"
    completes sdfgc explain SD2045 SD2045
    completes sdfgc explain UnknownContai UnknownContainer
    completes sdfgc explain dependenc dependence
    completes sdfgc clean '' folder
    completes sdfgc completions z zsh
    completes sdfgc -V -V
    completes sdfgc nonsense x ''
    ;;
zsh)
    needs zsh
    "$sdfgc" completions zsh -o _sdfgc
    zsh -n _sdfgc || fail "syntax"
    # The functions of zsh that match words against a table are replaced by one that shows the table.
    printed=$(timeout 60 zsh -f -c '
        compdef() { print "registered $*" }
        source ./_sdfgc
        _describe() { print -rl -- "${(@P)2}" }
        _arguments() { print -rl -- "$@" }
        words=(sdfgc "") CURRENT=2
        _sdfgc
        words=(sdfgc build --targ) CURRENT=3
        _sdfgc
        words=(sdfgc opt "") CURRENT=3
        _sdfgc
        words=(sdfgc passes "") CURRENT=3
        _sdfgc
        words=(sdfgc nodes "") CURRENT=3
        _sdfgc
        words=(sdfgc explain "") CURRENT=3
        _sdfgc
        words=(sdfgc completions "") CURRENT=3
        _sdfgc')
    for expected in "registered _sdfgc sdfgc" "check:verifies a graph" "--version[print the version]" ":cpu|cuda|hip|opencl|sve:(cpu cuda hip opencl sve)" \
        '1:PROG.sdfg:_files -g "*.(sdfg|sdfgz|sdfgt)"' "-o+[" ":DIR:_files -/" ":LIST:_sequence compadd - " "1:[PASS]:(" " resolve-wcr " \
        "1:[NODE]:(" " blas.Gemm " "1:[CODE]:(SD" " UnknownContainer " "1:SHELL:(bash zsh fish)"; do
        [[ $printed == *"$expected"* ]] || fail "no $expected in: $printed"
    done
    ;;
fish)
    needs fish
    "$sdfgc" completions fish -o sdfgc.fish
    fish --no-execute sdfgc.fish || fail "syntax"
    # completes LINE EXPECTED: all words that fish offers
    completes() {
        words=$(HOME=$work fish --no-config -c "source sdfgc.fish; complete -C '$1'" | cut -f1 | sort | paste -sd ' ')
        [ "$words" = "$2" ] || fail "$1: $words, expected $2"
    }
    completes "sdfgc che" check
    completes "sdfgc build --targ" --target
    completes "sdfgc build --target cu" cuda
    completes "sdfgc build --fp-model " "contract fast strict"
    completes "sdfgc opt --passes resolve-w" resolve-wcr
    completes "sdfgc passes resolve-w" resolve-wcr
    completes "sdfgc nodes blas.Gem" "blas.Gemm blas.Gemv"
    completes "sdfgc explain UnknownContai" UnknownContainer
    completes "sdfgc completions z" zsh
    ;;
man)
    needs groff
    "$sdfgc" man -o sdfgc.1
    groff -man -Tutf8 -ww -z sdfgc.1 2>warnings || fail "groff"
    [ ! -s warnings ] || fail "$(cat warnings)"
    groff -man -Tascii -P-cbou sdfgc.1 >text
    for expected in "sdfgc build PROG.sdfg" "--print-after-change" "EXIT STATUS" "SDFGC_HOME" "a bug in sdfgc"; do
        grep -qF -e "$expected" text || fail "the page does not mention $expected"
    done
    ;;
esac
