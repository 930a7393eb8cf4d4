// The same as libpfm.mjs for the models of arm64, on any machine:
//
//   node bench/encodings/arm64.mjs ROOT
//
// ROOT is a folder into which Debian's arm64 packages libpfm4, libpfm4-dev, libc6, libstdc++6 and libgcc-s1 are
// unpacked (dpkg-deb -x). Needs aarch64-linux-gnu-g++ and qemu-aarch64-static.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEvents } from '../../dist/kernel/events/parse-events.js';

const formats = { event: 'config:0-15', long: 'config1:0', rdpmc: 'config1:1' };
const MACHINE = {
  pmus: [
    {
      name: 'armv8_pmuv3_0',
      type: 8,
      formats: new Map(Object.entries(formats)),
      events: new Map(),
      cpumask: null,
      cpus: '0-3',
      caps: new Map(),
    },
  ],
  tracepoints: { isReadable: () => false },
};

const root = resolve(process.argv[2] ?? '.');
const lib = join(root, 'usr/lib/aarch64-linux-gnu');
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'perf-ts-arm64-'));
try {
  mkdirSync(join(folder, 'perfmon'));
  writeFileSync(join(folder, 'perfmon/err.h'), '#include <err.h>\n');
  compare();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compare() {
  const names = build(
    'g++',
    'names',
    ['-std=c++17', here('names.cc'), here('../../native/core/names/libpfm.cc')],
    ['-ldl'],
  );
  const example = join(root, 'usr/share/doc/libpfm4-dev/examples/check_events.c');
  const checkEvents = build('gcc', 'check_events', [example], ['-lpfm']);
  const attr = build('gcc', 'attr', [here('libpfm-attr.c')], ['-lpfm']);
  const rows = run(names, [])
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, , codes]) => codes !== '')
    .sort((a, b) => b[2].split(' ').length - a[2].split(' ').length);
  const texts = rows.map(([name]) => name);
  const codes = [...run(checkEvents, texts).matchAll(/^Codes +:(.*)$/gm)].map(([, words]) =>
    words.trim(),
  );
  report('registers, with check_events', rows, (row, index) => row[2] === codes[index]);
  const attrs = run(attr, texts).trim().split('\n');
  report("perf_event_attr, with libpfm's headers", rows, (row, index) => row[3] === attrs[index]);
  const core = rows.filter(([, type]) => type === '1');
  report('our encoder, from format/, of the same registers', core, isEncodedAlike);
}

/** PMXEVTYPER<n>_EL0: the event's number is in its low 16 bits. */
function isEncodedAlike([, , codes, attr]) {
  const event = BigInt(codes.split(' ')[0]) & 0xffffn;
  const [spec] = parseEvents(`armv8_pmuv3_0/event=0x${event.toString(16)}/`, MACHINE);
  const [, , config, config1] = attr.split(' ');
  return spec.config.toString(16) === config && spec.config1.toString(16) === config1;
}

function report(what, rows, isSame) {
  const same = rows.filter(isSame).length;
  const differing = rows.find((row, index) => !isSame(row, index));
  console.log(
    `| ${what} | ${same} | ${rows.length} |${differing === undefined ? '' : ` ${differing.join(' ')}`}`,
  );
  if (differing !== undefined) process.exitCode = 1;
}

function build(compiler, name, sources, libraries) {
  const program = join(folder, name);
  const args = [
    '-w',
    '-O1',
    `-I${folder}`,
    `-I${join(root, 'usr/include')}`,
    '-o',
    program,
    ...sources,
  ];
  const { status, stderr } = spawnSync(
    `aarch64-linux-gnu-${compiler}`,
    [...args, `-L${lib}`, ...libraries],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`${name} does not build: ${stderr}`);
  return program;
}

function run(program, args) {
  const settings = ['-E', `LD_LIBRARY_PATH=${lib}`, '-E', 'LIBPFM_ENCODE_INACTIVE=1'];
  const { status, stdout, stderr } = spawnSync(
    'qemu-aarch64-static',
    ['-L', root, ...settings, program, ...args],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    },
  );
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return stdout;
}
