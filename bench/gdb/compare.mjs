// Stacks against gdb's at the same stop, frame by frame:
//
//   node bench/gdb/compare.mjs [--stops N] [--show N] [-- COMMAND…]
//
// Without a command: test/code/unwind/frames.c by the compilers that are here. Both see the same registers,
// the same 64 kB of stack and the same files; every address of every frame counts.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Diagnostics } from '../../dist/base/diagnostics.js';
import { createUnwinder } from '../../dist/code/unwind/architectures/create-unwinder.js';
import { ModuleRanges } from '../../dist/code/unwind/module-ranges.js';
import { StackBytes } from '../../dist/code/unwind/stack-bytes.js';
import { isRoot, STOP_NAMES } from '../../dist/code/unwind/stop-reason.js';
import { UnwindModule } from '../../dist/code/unwind/unwind-module.js';
import { MOST_FRAMES } from '../../dist/code/unwind/unwinder.js';
import { SymbolFiles } from '../../dist/read/files/symbol-files.js';
import { openUnwindFile, segmentBias } from '../../dist/read/unwind/unwind-sections.js';
import { root } from '../measure.mjs';

const RSP = 7;
const separator = process.argv.indexOf('--');
const options = process.argv.slice(2, separator < 0 ? undefined : separator);
const option = (name, otherwise) => {
  const at = options.indexOf(name);
  return at < 0 ? otherwise : Number(options[at + 1]);
};
const stops = option('--stops', 200);
let toShow = option('--show', 0);

const directory = mkdtempSync(join(tmpdir(), 'perf-ts-gdb-'));
const diagnostics = new Diagnostics();
const files = new SymbolFiles({ diagnostics });
/** Path -> its module and the function from a mapping's start and offset to the load bias. */
const opened = new Map();

try {
  console.log(
    '| program | stops | frames | equal | equal as far as gdb goes | ours reach a root |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  if (separator >= 0) {
    const command = process.argv.slice(separator + 1);
    compare(command.join(' '), command);
  } else for (const { name, command } of builds()) compare(name, command);
} finally {
  rmSync(directory, { recursive: true });
}

function* builds() {
  const source = join(root, 'test/code/unwind/frames.c');
  const all = [
    ['gcc', '-O0'],
    ['gcc', '-O2'],
    ['gcc', '-O3'],
    ['gcc', '-O2', '-static'],
    ['clang', '-O2'],
    ['musl-gcc', '-O2', '-static'],
  ];
  for (const [index, [compiler, ...flags]] of all.entries()) {
    const binary = join(directory, `frames-${index}`);
    const words = [...flags, '-fomit-frame-pointer', '-pthread', '-o', binary, source];
    if (spawnSync(compiler, words, { stdio: 'ignore' }).status !== 0) continue;
    yield { name: `${compiler} ${flags.join(' ')}`, command: [binary, '100000'] };
  }
}

function compare(name, command) {
  const output = join(directory, 'stops.jsonl');
  const script = join(root, 'bench/gdb/stops.py');
  execFileSync('gdb', ['-nx', '-batch', '-x', script, '--args', ...command], {
    env: { ...process.env, STOPS: String(stops), OUTPUT: output },
    stdio: 'ignore',
  });
  const found = readFileSync(output, 'utf8').trim().split('\n').filter(Boolean).map(JSON.parse);
  const unwinder = createUnwinder('x86-64');
  let frames = 0;
  let equal = 0;
  let roots = 0;
  let asFar = 0;
  for (const stop of found) {
    const modules = new ModuleRanges(rangesOf(stop.maps));
    const ours = unwind(unwinder, stop, modules);
    const theirs = upToNoCode(stop.frames, modules);
    frames += ours.length;
    const reason = STOP_NAMES[unwinder.stopReason];
    if (isRoot(unwinder.stopReason)) roots++;
    if (ours.join() === theirs.join()) equal++;
    else if (toShow-- > 0) console.error(`${name}: ${reason}\n  ours ${ours}\n  gdb  ${theirs}`);
    if (theirs.every((frame, i) => frame === ours[i])) asFar++;
  }
  const share = (count) => `${((100 * count) / found.length).toFixed(2)} %`;
  console.log(
    `| ${[name, found.length, frames, share(equal), share(asFar), share(roots)].join(' | ')} |`,
  );
}

/** Addresses of the frames in hex, innermost first. */
function unwind(unwinder, stop, modules) {
  const registers = new Float64Array(17).fill(Number.NaN);
  for (const [number, value] of Object.entries(stop.registers)) {
    registers[number] = Number(BigInt.asIntN(64, BigInt(`0x${value}`)));
  }
  const bytes = Buffer.from(stop.stack, 'base64');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stack = new StackBytes();
  stack.set(view, 0, view.byteLength, registers[RSP]);
  const out = new Float64Array(MOST_FRAMES);
  const count = unwinder.unwind(registers, stack, modules, out);
  return Array.from(out.subarray(0, count), (address) => address.toString(16));
}

/** Past the loader's entry gdb goes on into the arguments of the program: 2, 7fffffffea91, 0. */
function upToNoCode(frames, modules) {
  const end = frames.findIndex((frame) => !modules.find(Number.parseInt(frame, 16) - 1));
  return end < 0 ? frames : frames.slice(0, end);
}

/** The mappings of code, as /proc/PID/maps has them. */
function rangesOf(maps) {
  const ranges = [];
  for (const line of maps.split('\n')) {
    const match = /^(\w+)-(\w+) \S\Sx\S (\w+) \S+ \S+\s*(.*)$/.exec(line);
    if (match === null || match[4] === '[vsyscall]') continue;
    const [start, end, offset] = match.slice(1, 4).map((text) => Number.parseInt(text, 16));
    const { module, file } = moduleOf(match[4]);
    const fileOffset = match[4] === '[vdso]' ? 0 : offset;
    const loadBias = file === null ? 0 : start - fileOffset - segmentBias(file.elf, fileOffset);
    ranges.push({ start, end, module, loadBias });
  }
  return ranges;
}

function moduleOf(path) {
  let known = opened.get(path);
  if (known === undefined) {
    const dso = path === '[vdso]' ? { kind: 'vdso' } : { kind: 'user-file', path, fileId: path };
    const file = path === '' ? null : openUnwindFile(dso, null, files.provide, diagnostics);
    const module = file === null ? null : new UnwindModule(path, () => file.sections);
    known = { module, file };
    opened.set(path, known);
  }
  return known;
}
