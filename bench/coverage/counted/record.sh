#!/bin/sh
# Records `work` again and again on the machine that is to be measured; `measure.mjs` reads what is left.
#
#     record.sh WORK OUTPUT RUNS EVENT RATE...      RATE: an option of record, -F4000 or -c99991
#
# RECORDER: the command before its options, `perf record` unless said.
set -eu
work=$1 output=$2 runs=$3 event=$4
shift 4
mkdir -p "$output"
for kind in calls phases-1 phases-3 phases-10 once; do
  for rate in "$@"; do
    run=1
    while [ "$run" -le "$runs" ]; do
      name=$output/$kind$rate-$run
      ${RECORDER:-perf record -q} -e "$event" "$rate" -o "$name.data" -- \
        "$work" "$kind" "$run" 300 > "$name.json" 2> "$name.log" || cat "$name.log"
      run=$((run + 1))
    done
  done
done
