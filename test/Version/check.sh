#!/bin/bash
# The commit in `sdfgc --version`: that of a checkout, and none in sources without git.
#
#   check.sh SOURCE_TREE      77: skipped, git is not installed
set -euo pipefail
source=$1
command -v git >/dev/null || { echo "skipped: git is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE
git=(git -C "$work/checkout" -c user.name=t -c user.email=t@example.com)

cat >"$work/commit.cmake" <<'END'
include(${SOURCE}/cmake/SdfgcCommit.cmake)
sdfgc_commit(commit ${FOLDER})
message("commit=${commit}")
END
# expect FOLDER COMMIT: what the function says of a folder
expect() {
    local said
    said=$(cmake -DSOURCE="$source" -DFOLDER="$1" -P "$work/commit.cmake" 2>&1)
    [ "$said" = "commit=$2" ] || { echo "FAILED: $1: expected '$2', got '$said'" >&2; exit 1; }
}

mkdir "$work/checkout" "$work/tarball"
git init -q "$work/checkout"
expect "$work/checkout" "" # no commit so far
echo one >"$work/checkout/file"
"${git[@]}" add file
"${git[@]}" commit -q -m one
first=$("${git[@]}" rev-parse --short=12 HEAD)
expect "$work/checkout" "$first"
echo two >"$work/checkout/file"
expect "$work/checkout" "$first" # the commit alone, whatever was edited since
"${git[@]}" commit -q -a -m two
expect "$work/checkout" "$("${git[@]}" rev-parse --short=12 HEAD)"
"${git[@]}" worktree add -q "$work/worktree" "$first"
expect "$work/worktree" "$first"

# Not the commit of another project that the sources lie in.
mkdir "$work/checkout/below"
expect "$work/checkout/below" ""
expect "$work/tarball" ""
