#!/usr/bin/env bash
# Installs the programs that test/run.sh needs, where apt and root's rights are to be had. Otherwise
# it prints the command for the administrator. Fails only if nothing can be built.
set -euo pipefail
cd "$(dirname "$0")/.."

# Without a terminal nobody can answer sudo's question.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif [ -t 0 ]; then sudo "$@"
  else sudo -n "$@"; fi
}
may_install() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" -eq 0 ] && return
  command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }
}
is_debian() { grep -qx 'ID=debian' /etc/os-release 2>/dev/null; }
is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# The build needs these; some tests need the others, and are skipped without them.
missing_for_build() {
  local pair
  for pair in g++:g++ make:make python3:python3; do
    command -v "${pair%%:*}" >/dev/null || echo "${pair##*:}"
  done
}
missing_for_tests() {
  command -v readelf >/dev/null || echo binutils
  # Ubuntu packs perf with the kernel's tools, and Chromium as a snap, which containers can't install.
  perf --version >/dev/null 2>&1 || { is_debian && echo linux-perf; } || true
  # With a window of its own, as chromium has it, a page takes more than twice the CPU time.
  command -v chromium-headless-shell >/dev/null ||
    { is_debian && echo chromium-headless-shell; } || true
  # 80 MB to download; Ubuntu has Firefox as a snap only.
  command -v firefox-esr >/dev/null || { is_debian && echo firefox-esr; } || true
  # Completions are tried in their own shells.
  command -v zsh >/dev/null || echo zsh
  command -v fish >/dev/null || echo fish
  # The names of the C library's own functions.
  ! command -v dpkg-query >/dev/null || is_installed libc6-dbg || echo libc6-dbg
}
missing() { missing_for_build; missing_for_tests; }

mapfile -t packages < <(missing)
if [ "${#packages[@]}" -gt 0 ] && may_install; then
  # The package lists of a fresh container are empty.
  as_root apt-get update -qq || true
  echo "installing: ${packages[*]}"
  # --no-remove: what is here stays.
  install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-remove --no-install-recommends "$@" >/dev/null
  }
  # One that can't be had must not keep the others away.
  install "${packages[@]}" 2>/dev/null ||
    for package in "${packages[@]}"; do
      install "$package" || echo "could not be installed: $package"
    done
  mapfile -t packages < <(missing)
fi
if [ "${#packages[@]}" -gt 0 ]; then
  echo "missing here: ${packages[*]}"
  ! command -v apt-get >/dev/null || echo "  the administrator: apt-get install -y ${packages[*]}"
fi
mapfile -t packages < <(missing_for_build)
if [ "${#packages[@]}" -gt 0 ]; then
  echo "perf-ts cannot be built here without ${packages[*]}: install the above and try again" >&2
  exit 1
fi

# Tracepoint tests read the event formats from tracefs.
if [ ! -e /sys/kernel/tracing/events ] && [ "$(id -u)" -eq 0 ]; then
  mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || true
fi
