#!/usr/bin/env bash
# From a fresh Debian or Ubuntu with Node >= 20.19 to a flame graph, in one command:
#   bash examples/quickstart.sh
# Installs the compiler if it is missing, builds perf-ts, records examples/hot-paths, and ends with
# the period report, the top table and the path of the flame graph page.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

supported='const [a, b] = process.versions.node.split(".").map(Number);
process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
if ! node -e "$supported" 2>/dev/null; then
  echo "perf-ts needs Node 20.19 or newer on PATH, found: $(node --version 2>/dev/null || echo none)" >&2
  exit 1
fi

missing=()
for tool in g++ make python3; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
if [ "${#missing[@]}" -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "please install first: ${missing[*]}" >&2
    exit 1
  fi
  step "installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
fi

if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  step "installing node packages"
  npm ci --no-audit --no-fund --loglevel=error
fi
built=(dist/bin/main.js dist/web/page.js build/Release/perf_ts.node)
if ! ls "${built[@]}" >/dev/null 2>&1 ||
  [ -n "$(find src native web package.json -newer dist/bin/main.js -print -quit)" ]; then
  step "building"
  mkdir -p examples/out
  if ! npm run build >examples/out/build.log 2>&1; then
    tail -n 30 examples/out/build.log >&2
    echo "the build failed; all of its output: $PWD/examples/out/build.log" >&2
    exit 1
  fi
fi

out=examples/out
mkdir -p "$out"
# Frame pointers, in leaf functions too: callchains follow them.
cc -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
  -o "$out/hot-paths" examples/hot-paths/hot-paths.c

perf_ts=(node dist/bin/main.js)
# Kernel code is seen by root only. The command runs as the user all the same, and the file is the
# user's; without sudo the recording is of user space, with a notice.
record=("${perf_ts[@]}")
if [ "$(id -u)" -ne 0 ] && command -v sudo >/dev/null; then
  record=(sudo "$(command -v node)" dist/bin/main.js)
fi

show() { step "perf-ts $*"; "${perf_ts[@]}" "$@"; }

step "perf-ts record --freq 30000 -g -e cycles,page-faults -o $out/perf.data -- $out/hot-paths 2"
"${record[@]}" record --freq 30000 -g -e cycles,page-faults -o "$out/perf.data" -- "$out/hot-paths" 2
show export "$out/perf.data" --format speedscope -o "$out/hot-paths.speedscope.json"
show export "$out/perf.data" --format html -o "$out/flame-graph.html"
show periods "$out/perf.data"
show report --limit 10 --percent-limit 0.5 "$out/perf.data"

cat <<END
The same in pictures:
  in the browser     npx perf-ts view $out/perf.data
                     (over ssh it prints the tunnel)
  flame graph page   file://${PWD// /%20}/$out/flame-graph.html
  speedscope         npx speedscope $out/hot-paths.speedscope.json
END
