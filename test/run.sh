#!/usr/bin/env bash
# The second of the README's two commands: installs what the tests need, builds, and runs what a change
# has to pass: types, lint and import direction, the native core, unit and command tests, a slice of the
# tests that record on this kernel and of those in a browser. Runs on a fresh Debian or Ubuntu with Node
# 20.19 or newer, as root or as an ordinary user:
#   bash test/run.sh
#   bash test/run.sh --all     also the sanitizers, all tests that record, all of the page, hostile input, and
#                              the packed package
set -euo pipefail
case ${1:-} in
  '') all='' ;;
  --all) all=yes ;;
  *) echo "usage: bash test/run.sh [--all]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."

if ! command -v node >/dev/null; then
  echo "perf-ts needs Node 20.19 or newer; there is no node on PATH" >&2
  exit 1
fi
supported='const [a, b] = process.versions.node.split(".").map(Number);
process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
if ! node -e "$supported"; then
  echo "perf-ts needs Node 20.19 or newer; $(command -v node) is $(node --version)" >&2
  exit 1
fi
if ! command -v npm >/dev/null; then
  echo "perf-ts needs npm, which installs its packages; there is no npm on PATH (Debian: apt-get install npm)" >&2
  exit 1
fi
bash test/tools.sh

# What npm installed last is recorded there.
if ! [ node_modules/.package-lock.json -nt package-lock.json ]; then
  install() { timeout 600 npm ci --no-audit --no-fund; }
  install || { echo "npm ci failed or hung; trying once more"; install; }
fi
npm run --silent build

failed=()
check() { "$@" || failed+=("$*"); }
check npm run --silent check
check bash test/check-format.sh
native=(--plain) lanes=()
for lane in unit alone command core still; do lanes+=(--project "$lane"); done
if [ -n "$all" ]; then
  native=() lanes=()
  export PERF_TS_INSTALLED=1
fi
check npm run --silent test:native -- "${native[@]}"

mkdir -p test/tmp
export PERF_TS_RESULTS=$PWD/test/tmp/results.json
rm -f "$PERF_TS_RESULTS"
check npx --no-install vitest run "${lanes[@]}" \
  --reporter=default --reporter=./test/helpers/results-reporter.ts
check node test/summarize.mjs "$PERF_TS_RESULTS" "${failed[@]}"
[ "${#failed[@]}" -eq 0 ]
