#!/usr/bin/env bash
# From a fresh Debian or Ubuntu with Node >= 20.19 to a flame graph, in one command:
#   bash examples/quickstart.sh
# Installs the compiler if it is missing, builds perf-ts, records examples/hot-paths, and ends with
# the period report, the top table and the path of the flame graph page.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

missing=()
for pair in g++:g++ make:make python3:python3; do
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
if [ "${#missing[@]}" -gt 0 ]; then
  echo "== installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
fi

if [ ! -d node_modules ]; then
  echo "== installing node packages"
  npm ci --no-audit --no-fund --loglevel=error
fi
if [ ! -e dist/cli/main.js ] || [ ! -e build/Release/perf_ts.node ]; then
  echo "== building"
  npm run --silent build >/dev/null
fi

out=examples/out
mkdir -p "$out"
cc -O2 -g -fno-omit-frame-pointer -o "$out/hot-paths" examples/hot-paths/hot-paths.c

perf_ts=(node dist/cli/main.js)
# Recording wants root for kernel code; without sudo it records user space only, and says so.
record=("${perf_ts[@]}")
if [ "$(id -u)" -ne 0 ] && command -v sudo >/dev/null; then record=(sudo -E "$(command -v node)" dist/cli/main.js); fi

echo "== perf-ts record --freq 30000 -g -e cycles,page-faults -- hot-paths"
"${record[@]}" record --freq 30000 -g -e cycles,page-faults -o "$out/perf.data" -- "$out/hot-paths" 2

echo; echo "== perf-ts periods"
"${perf_ts[@]}" periods "$out/perf.data"

echo; echo "== perf-ts report"
"${perf_ts[@]}" report --limit 10 "$out/perf.data"

"${perf_ts[@]}" export "$out/perf.data" --format html --output "$out/flame-graph.html"
"${perf_ts[@]}" export "$out/perf.data" --format speedscope --output "$out/hot-paths.speedscope.json"
echo
echo "flame graph page:  $PWD/$out/flame-graph.html"
echo "for speedscope:    $PWD/$out/hot-paths.speedscope.json"
