#!/usr/bin/env bash
# Runs the README's second command on a machine that nobody has used: a Debian made by debootstrap,
# entered by chroot, with a clone of this checkout's commit in it. For maintainers, as root:
#   bash test/fresh-machine.sh bookworm root
#   bash test/fresh-machine.sh trixie user --path '/home/ann/my projects/perf-ts' --umask 077 \
#     --env LANG=de_DE.UTF-8 --env TZ=Asia/Tokyo --without linux-perf --without chromium-headless-shell
# An ordinary user has no sudo there; the administrator has installed what test/tools.sh names.
#   --without PACKAGE  the package can't be had
#   --command WORDS    run this there instead of test/run.sh
#   --bare PACKED      nothing but Node and npm there, and what `npm pack` made in place of the checkout;
#                      runs test/release/first-use.sh
#   --keep             leave the machine where it is, and use it again
# FRESH_ROOTS is the folder of the machines; files below FRESH_OVERLAY are copied onto each (a
# certificate, the configuration of npm).
set -euo pipefail
source_tree=$(cd "$(dirname "$0")/.." && pwd)

usage() { sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
suite=$1 who=$2
shift 2
case $who in root | user) ;; *) usage ;; esac
path=/home/ann/perf-ts mask=022 keep='' bare='' command='' without=() environment=()
[ "$who" = root ] && path=/root/perf-ts
while [ $# -gt 0 ]; do
  case $1 in
    --path) path=$2; shift ;;
    --umask) mask=$2; shift ;;
    --env) environment+=("$2"); shift ;;
    --without) without+=("$2"); shift ;;
    --command) command=$2; shift ;;
    --bare) bare=$(realpath "$2"); shift ;;
    --keep) keep=yes ;;
    *) usage ;;
  esac
  shift
done
if [ -z "$command" ]; then
  command='bash test/run.sh'
  [ -z "$bare" ] || command='bash first-use.sh'
fi
[ "$(id -u)" -eq 0 ] || { echo "chroot needs root: sudo bash $0 …" >&2; exit 1; }

# Mounts of a namespace of our own are gone when we are.
if [ "${FRESH_NAMESPACE:-}" != yes ]; then
  words=("$suite" "$who" --path "$path" --umask "$mask" --command "$command")
  for value in "${environment[@]}"; do words+=(--env "$value"); done
  for value in "${without[@]}"; do words+=(--without "$value"); done
  [ -z "$keep" ] || words+=(--keep)
  [ -z "$bare" ] || words+=(--bare "$bare")
  FRESH_NAMESPACE=yes exec unshare --mount --propagation private bash "$0" "${words[@]}"
fi

roots=${FRESH_ROOTS:-/var/tmp/perf-ts-machines}
base=$roots/$suite-base
machine=$roots/$suite-$who${bare:+-bare}
mkdir -p "$roots"
if [ ! -e "$base/etc/os-release" ]; then
  echo "== debootstrap $suite"
  rm -rf "$base.new"
  debootstrap --variant=minbase --include=ca-certificates,git "$suite" "$base.new" >"$base.log" 2>&1 ||
    { tail -n 5 "$base.log" >&2; exit 1; }
  mv "$base.new" "$base"
fi
if [ ! -e "$machine/etc/os-release" ]; then
  rm -rf "$machine"
  cp -a --reflink=auto "$base" "$machine"
fi

# Without this the machine's / is no mount point, and a namespace in it can't be made private.
mount --bind "$machine" "$machine"
mount -t proc proc "$machine/proc"
mount --rbind /sys "$machine/sys"
mount --rbind /dev "$machine/dev"
# Debian 13 keeps /tmp in memory, Debian 12 on the disk.
[ "$suite" = bookworm ] || mount -t tmpfs -o mode=1777,size=50% tmpfs "$machine/tmp"
cleanup() {
  umount -R -l "$machine"
  [ -n "$keep" ] || rm -rf --one-file-system "$machine"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
[ -z "${FRESH_OVERLAY:-}" ] || cp -a "$FRESH_OVERLAY/." "$machine/"
for package in "${without[@]}"; do
  printf 'Package: %s\nPin: release *\nPin-Priority: -1\n\n' "$package"
done >"$machine/etc/apt/preferences.d/without"

handed_on=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
for name in http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS; do
  [ -z "${!name:-}" ] || handed_on+=("$name=${!name}")
done
there() { chroot "$machine" env -i "${handed_on[@]}" "$@"; }

# Node is the user's to bring: Debian's own where it is new enough, else a copy of ours. Debian's npm
# brings python along.
if [ "$suite" = bookworm ] || [ -n "$bare" ]; then
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  mkdir -p "$machine/usr/local"/{bin,include,lib/node_modules}
  cp -a --remove-destination "$prefix/bin/node" "$machine/usr/local/bin/"
  [ -n "$bare" ] || cp -a "$prefix/include/node" "$machine/usr/local/include/"
  cp -a "$prefix/lib/node_modules/npm" "$machine/usr/local/lib/node_modules/"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$machine/usr/local/bin/npm"
  ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$machine/usr/local/bin/npx"
elif ! there sh -c 'command -v npm' >/dev/null; then
  there apt-get update -qq
  there env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
fi

rm -rf "${machine:?}$path"
mkdir -p "$machine$path"
if [ -n "$bare" ]; then
  cp "$bare" "$machine$path/perf-ts.tgz"
  cp "$source_tree/test/release/first-use.sh" "$machine$path/"
else
  git clone --quiet --depth 1 "file://$source_tree" "$machine$path"
fi
home=/root user=root
if [ "$who" = user ]; then
  home=/home/ann user=ann
  there id ann >/dev/null 2>&1 || there useradd --home-dir "$home" --shell /bin/bash ann
  there mkdir -p "$home"
  there chown -R ann: "$home" "$path"
  if [ -z "$bare" ]; then
    echo "== the administrator: test/tools.sh"
    there HOME=/root bash "$path/test/tools.sh" </dev/null
  fi
fi

echo "== $user on $suite, in $path, umask $mask ${environment[*]}"
status=0
there setpriv --reuid="$user" --regid="$user" --init-groups \
  env HOME="$home" USER="$user" "${environment[@]}" \
  bash -c 'umask "$1" && cd "$2" && eval "$3"' - "$mask" "$path" "$command" </dev/null || status=$?
echo "== ended with status $status"
exit "$status"
