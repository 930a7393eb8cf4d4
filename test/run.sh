#!/usr/bin/env bash
# Installs what the tests need and passes them: types, lint, import direction, the native core
# (plain, AddressSanitizer, ThreadSanitizer), unit tests and live tests against this kernel.
# One command on a fresh Debian or Ubuntu with Node >= 20.19:  bash test/run.sh
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else return 1; fi; }

# Debian package that provides a command, for those that are missing.
missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need g++ g++
need make make
need python3 python3
need readelf binutils
need clang-format clang-format
# The page is tested in a browser; without one those tests are skipped and counted. Ubuntu's package
# is a snap, which a container can't install.
if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  if grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then missing+=(chromium)
  else echo "no browser: its tests are skipped; install Chromium as /usr/bin/chromium"; fi
fi
# Package lists of a fresh container are empty: without them nothing is known to be installable.
has_apt() { command -v apt-get >/dev/null; }
if has_apt && { [ "${#missing[@]}" -gt 0 ] || ! perf --version >/dev/null 2>&1; }; then
  as_root apt-get update -qq || true
fi
# perf is the reference in some tests; without it they are skipped and counted. Ubuntu packs it
# with the kernel's tools.
if ! perf --version >/dev/null 2>&1 && apt-cache show linux-perf >/dev/null 2>&1; then
  missing+=(linux-perf)
fi
apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null; }
if [ "${#missing[@]}" -gt 0 ] && has_apt; then
  echo "installing: ${missing[*]}"
  # One that can't be had must not keep the others away.
  apt_install "${missing[@]}" || for package in "${missing[@]}"; do
    apt_install "$package" || echo "could not be installed: $package"
  done
fi
# Tracepoint tests read the event formats from tracefs.
if [ ! -e /sys/kernel/tracing/events ] && [ "$(id -u)" -eq 0 ]; then
  mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || true
fi

install() { timeout 600 npm ci --no-audit --no-fund; }
install || { echo "npm ci failed or hung; trying once more"; install; }

npm run --silent build
npm run --silent check
clang-format --dry-run --Werror native/*.h native/*.cc native/test/*.cc
npm run --silent test:native

report=test/tmp/results.json
mkdir -p test/tmp
npx vitest run --reporter=default --reporter=json --outputFile="$report"
node test/summarize.mjs "$report"
