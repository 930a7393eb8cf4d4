// An x86-64 machine with a kernel of choice: QEMU without KVM, one file system in memory, no disk and no
// network. What runs there is Node and this build of perf-ts.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeCoreApp } from './core-app.mjs';

/** Programs that have to be on this machine, and the Debian packages that have them. */
const NEEDED = {
  'qemu-system-x86_64': 'qemu-system-x86',
  busybox: 'busybox-static',
  cpio: 'cpio',
  gcc: 'gcc',
};

const APPLETS = [
  'sh',
  'mount',
  'mkdir',
  'poweroff',
  'stty',
  'sleep',
  'true',
  'cat',
  'setsid',
  'ip',
];

/** The second serial port has the results and nothing of the kernel. */
const INIT = `#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tracefs tracefs /sys/kernel/tracing
ip link set lo up
export HOME=/root PATH=/bin NO_COLOR=1
stty -F /dev/ttyS1 raw
cd /tmp
sh /command </dev/null >/dev/ttyS1 2>&1
echo "::status:: $?" >/dev/ttyS1
sleep 1
poweroff -f
`;

/** Throws with the line that installs what is missing. */
export function checkNeeded() {
  const missing = Object.entries(NEEDED).filter(([program]) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name).join(' ');
  throw new Error(
    `${missing.map(([name]) => name).join(', ')}: not here; apt-get install ${packages}`,
  );
}

/**
 * Makes the guest's root: Node, busybox, the built package, the programs. Returns the path of the archive
 * for the kernel. It is not compressed: the guest takes longer to unpack it than QEMU to load it.
 */
export function makeRoot(folder, command) {
  const tree = join(folder, 'root');
  for (const name of ['bin', 'proc', 'sys', 'dev', 'tmp', 'root', 'etc', 'app']) {
    mkdirSync(join(tree, name), { recursive: true });
  }
  const node = join(tree, 'bin/node');
  copyFileSync(process.execPath, node);
  copyFileSync(findProgram('busybox'), join(tree, 'bin/busybox'));
  for (const applet of APPLETS) symlinkSync('busybox', join(tree, 'bin', applet));
  const app = join(tree, 'app');
  makeCoreApp(app, { addon: 'build/Release/perf_ts.node', compiler: 'gcc' });
  copyLibraries(tree, [process.execPath, join(app, 'build/Release/perf_ts.node')]);
  writeFileSync(
    join(tree, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n',
  );
  writeFileSync(join(tree, 'command'), `${command}\n`);
  writeFileSync(join(tree, 'init'), INIT);
  for (const name of ['init', 'bin/node', 'bin/busybox']) chmodSync(join(tree, name), 0o755);
  const archive = join(folder, 'root.cpio');
  execFileSync('sh', ['-c', `find . | cpio -o -H newc --quiet >${archive}`], { cwd: tree });
  return archive;
}

function copyLibraries(tree, files) {
  for (const file of files) {
    const listed = execFileSync('ldd', [file], { encoding: 'utf8' });
    for (const [, path] of listed.matchAll(/(?:=>|^)\s*(\/\S+)/gm)) {
      mkdirSync(join(tree, dirname(path)), { recursive: true });
      cpSync(path, join(tree, path), { dereference: true });
    }
  }
}

function findProgram(name) {
  return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
}

/**
 * Boots a kernel with that root and hands on each line that the command writes. Resolves with the
 * command's exit status; null where the guest ended without one, or was ended after `limitSeconds`.
 *
 * @param {object} options
 * @param {string} options.kernel path of its image
 * @param {string} options.archive path of the root
 * @param {string} options.consoleFile where the kernel's own messages go
 * @param {number} options.limitSeconds
 * @param {(line: string) => void} options.onLine
 */
export async function boot({ kernel, archive, consoleFile, limitSeconds, onLine }) {
  const qemu = spawn(
    'qemu-system-x86_64',
    [
      ...['-accel', 'tcg', '-cpu', 'max,-cx16', '-smp', '2', '-m', '2500'],
      ...['-nodefaults', '-display', 'none', '-no-reboot'],
      ...['-serial', `file:${consoleFile}`, '-serial', 'stdio'],
      ...['-kernel', kernel, '-initrd', archive],
      ...['-append', 'console=ttyS0 quiet panic=-1 tsc=reliable clocksource=tsc rdinit=/init'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const timer = setTimeout(() => qemu.kill('SIGKILL'), limitSeconds * 1000);
  let status = null;
  for await (const line of createInterface({ input: qemu.stdout })) {
    const end = /^::status:: (\d+)/.exec(line);
    if (end === null) onLine(line);
    else status = Number(end[1]);
  }
  clearTimeout(timer);
  return status;
}
