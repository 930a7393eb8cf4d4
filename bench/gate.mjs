// Measures what a gate in CI sees: recordings of a program in turns, as it is and with a function that takes 1.3
// times as long, compared with so many a side; and of the same program, which must not alarm.
//   node bench/gate.mjs [RUNS [A_SIDE [FACTOR]]]     RUNS of each kind, a multiple of A_SIDE

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [runs = 30, aSide = 3, factor = 1.3] = process.argv.slice(2).map(Number);
const main = fileURLToPath(new URL('../dist/bin/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'perf-ts-gate-'));
// A quarter in `score` and three quarters in `rest`, of the same loop.
const PROGRAM = `

function score(count) { let sum = 0; for (let i = 0; i < count; i++) sum += Math.sqrt(i); return sum; }
function rest(count) { let sum = 0; for (let i = 0; i < count; i++) sum += Math.sqrt(i); return sum; }
const times = Number(process.argv[2]);
for (let i = 0; i < 600; i++) { score(Math.round(250000 * times)); rest(750000); }
`;
const CONDITIONS = [
  'share(score) grows',
  'share(score) grows by 5%',
  'share(score) grows by 10%',
  'weight(score) grows',
  'weight(*) grows',
];
const KINDS = { base: 1, equal: 1, slower: factor };

function perfTs(...words) {
  return spawnSync(process.execPath, [main, ...words], { cwd: folder, encoding: 'utf8' });
}

try {
  const program = join(folder, 'app.cjs');
  writeFileSync(program, PROGRAM);
  for (let run = 0; run < runs; run++) {
    for (const [kind, times] of Object.entries(KINDS)) {
      const file = `${kind}-${run}.data`;
      perfTs('record', '-q', '-F', '997', '-o', file, '--', 'node', program, String(times));
    }
  }
  const met = new Map();
  const groups = Math.floor(runs / aSide);
  for (let group = 0; group < groups; group++) {
    const side = (kind) =>
      Array.from({ length: aSide }, (_, run) => `${kind}-${group * aSide + run}.data`);
    for (const kind of ['equal', 'slower']) {
      const flags = CONDITIONS.flatMap((condition) => ['--fail-if', condition]);
      const { stdout } = perfTs(
        ...['diff', '--json', '--old', ...side('base'), '--new', ...side(kind), ...flags],
      );
      for (const { condition, verdict } of JSON.parse(stdout).conditions) {
        const key = `${kind}: ${condition}`;
        met.set(key, (met.get(key) ?? 0) + (verdict === 'met' ? 1 : 0));
      }
    }
  }
  console.log(`${groups} comparisons of ${aSide} a side, ×${factor}: met`);
  for (const [key, count] of met) console.log(`  ${key.padEnd(36)} ${count}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
