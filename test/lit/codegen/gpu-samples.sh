#!/bin/sh
# [first=WORD] gpu-samples.sh DOCUMENT FOLDER NAME...: from the function with the comment `WORD ...` (kernel) on, compares the code behind `<!-- emitted: NAME -->` with FOLDER/NAME/src/cuda/NAME.cu.
document=$1 folder=$2
shift 2
for name; do
    sed -n "/<!-- emitted: $name -->/,/^\`\`\`\$/p" "$document" | sed '1,2d;$d' > "$folder/$name.documented"
    sed -n '/^\/\/ '"${first:-kernel}"' /,/^\/\/ ---- C interface/p' "$folder/$name/src/cuda/$name.cu" | sed '$d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' > "$folder/$name.written"
    [ -s "$folder/$name.written" ] || { echo "nothing was written for $name"; exit 1; }
    diff "$folder/$name.documented" "$folder/$name.written" || exit 1
done
