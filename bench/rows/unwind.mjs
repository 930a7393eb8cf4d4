// Unwinding of copied stacks, names off, against `perf script --no-inline -F ip`. Two rows per
// language: unwinding alone, which is our reading of the file less that without unwinding; and all of
// our reading, to interned stacks. CPU time; ours without Node's start-up.

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasPerf, missingRow, outDirectory, root, time } from '../measure.mjs';

const SAMPLES = 200_000;
const REACH = 5;
const STACK_BYTES = 4096;

export async function rows() {
  if (!hasPerf()) return [missingRow('unwinding', 'perf')];
  const node = [process.execPath, join(root, 'bench/unwind-node.cjs'), '45'];
  return [...compare('C', [frames(), '13000']), ...compare('Node', node)];
}

function compare(language, command) {
  const file = join(outDirectory, `unwind-${language}.data`);
  record(file, command);
  const words = [join(root, 'bench/unwind.mjs'), file];
  const ours = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
  const { cpu } = time(`perf script --no-inline -F ip -i ${file}`);
  rmSync(file);
  const { samples, frames, seconds, without } = ours;
  const what = `${language}, ${samples} samples of ${STACK_BYTES} bytes, against perf script`;
  const alone = cpu / (seconds - without);
  const peer = rate(samples / cpu);
  return [
    {
      what: `unwinding alone, ${what}`,
      ours: rate(samples / (seconds - without)),
      peer,
      ratio: alone,
      reach: `≥ ${REACH}×`,
      met: alone >= REACH && samples >= SAMPLES,
      note: `${(frames / samples).toFixed(1)} frames a stack`,
    },
    {
      what: `read and unwound, ${what}`,
      ours: rate(samples / seconds),
      peer,
      ratio: cpu / seconds,
    },
  ];
}

function rate(samplesPerSecond) {
  return `${Math.round(samplesPerSecond / 1000)} k samples/s`;
}

function record(file, command) {
  const words = ['record', '-q', '-e', 'cpu-clock:u', '-F', '20000', '--call-graph'];
  execFileSync('perf', [...words, `dwarf,${STACK_BYTES}`, '-o', file, ...command], {
    stdio: 'ignore',
  });
  if (!existsSync(file) || statSync(file).size === 0) throw new Error(`perf wrote no ${file}`);
}

function frames() {
  const binary = join(outDirectory, 'frames');
  const source = join(root, 'test/code/unwind/frames.c');
  const flags = ['-O2', '-fomit-frame-pointer', '-pthread'];
  execFileSync('cc', [...flags, '-o', binary, source]);
  return binary;
}
