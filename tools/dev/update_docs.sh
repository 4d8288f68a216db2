#!/usr/bin/env bash
# Writes the generated pages of the documentation (passes, targets, library nodes, diagnostics), and the code in the pages about
# optimised programs. usage: update_docs.sh [SDFGC]
set -euo pipefail
cd "$(dirname "$0")/../.."
sdfgc=${1:-build/bin/sdfgc}
rm -rf docs/user/passes docs/user/targets docs/user/library-nodes docs/user/diagnostics
"$sdfgc" passes --markdown docs/user/passes
"$sdfgc" targets --markdown docs/user/targets
"$sdfgc" nodes --markdown docs/user/library-nodes
"$sdfgc" explain --markdown docs/user/diagnostics
tools/dev/update_optimised.py --sdfgc "$sdfgc"
