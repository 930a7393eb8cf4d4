// The rig as a command: options, parts, the table at the end and the file of all cells.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { designCells, nameOf } from './cells.ts';
import { measureCosts } from './costs.ts';
import { HOSTILE_CASES, type HostileCase, runHostile } from './hostile/cases.ts';
import { Matrix, type Result } from './matrix.ts';
import { type FoundNode, findNode, installNode, MAJORS, nodesFolder } from './nodes.ts';
import { type Cell, type Place, Runner } from './ways.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const OPTIONS = {
  root: { type: 'string', default: root },
  part: { type: 'string', multiple: true },
  only: { type: 'string', default: '' },
  nodes: { type: 'string' },
  jobs: { type: 'string', default: '2' },
  seed: { type: 'string', default: '1' },
  json: { type: 'string' },
  list: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
} as const;
const PARTS = ['matrix', 'costs', 'hostile'] as const;

/** Runs the parts that `args` name; the exit status. `ownsTmp`: whether all of /tmp is the rig's. */
export async function runStrangers(args: readonly string[], ownsTmp: boolean): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const parts = values.part ?? PARTS;
  const only = new RegExp(values.only);
  const majors = values.nodes?.split(',').map(Number) ?? MAJORS;
  const nodes = haveNodes(majors);
  const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-strangers-'));
  const place: Place = {
    ...{ root: resolve(values.root), scratch },
    programs: join(root, 'test/strangers/programs'),
  };
  const results: Result[] = majors
    .filter((major) => !nodes.some((node) => node.major === major))
    .map((major) => skipped(`Node ${major}`, 'not here, and npm did not give it'));
  const note = (result: Result): void => {
    results.push(result);
    if (values.verbose || !['passed', 'known', 'skipped'].includes(result.verdict)) print(result);
  };
  try {
    const runner = new Runner(place);
    const cells = designCells({ nodes, seed: Number(values.seed) });
    const chosen = cells.filter((cell) => only.test(nameOf(cell)));
    const cases = HOSTILE_CASES.filter(({ name }) => only.test(name));
    if (values.list) {
      for (const { name } of [...chosen.map((cell) => ({ name: nameOf(cell) })), ...cases])
        console.log(name);
      return 0;
    }
    if (parts.includes('matrix')) {
      await runCells(chosen, new Matrix(runner), Number(values.jobs), note);
      if (ownsTmp) note(leftovers());
    }
    if (parts.includes('costs'))
      for (const result of await measureCosts(nodes, place, only)) note(result);
    if (parts.includes('hostile')) await runCases(cases, place, note);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify(results, null, 1)}\n`);
  printTable(results);
  return results.some(({ verdict }) => verdict === 'failed' || verdict === 'unsteady') ? 1 : 0;
}

function haveNodes(majors: readonly number[]): FoundNode[] {
  console.log(`Nodes: ${nodesFolder()} (PERF_TS_NODES)`);
  return majors.flatMap((major) => {
    const found = findNode(major) ?? (installNode(major) ? findNode(major) : null);
    return found === null ? [] : [found];
  });
}

const skipped = (name: string, difference: string): Result => ({
  ...{ name, verdict: 'skipped', difference, seconds: 0 },
});

/** An inspector has one usual port on a machine: cells that attach run one after another. */
async function runCells(
  cells: readonly Cell[],
  matrix: Matrix,
  jobs: number,
  note: (result: Result) => void,
): Promise<void> {
  const queues = [
    cells.filter(({ way }) => way === 'attach'),
    cells.filter(({ way }) => way !== 'attach'),
  ];
  const work = async (queue: Cell[]): Promise<void> => {
    for (let cell = queue.shift(); cell !== undefined; cell = queue.shift())
      note(await matrix.try(cell));
  };
  await Promise.all([work(queues[0]), ...Array.from({ length: jobs }, () => work(queues[1]))]);
}

async function runCases(
  cases: readonly HostileCase[],
  place: Place,
  note: (result: Result) => void,
): Promise<void> {
  for (const one of cases) note(await runHostile(one, place));
}

/** Files that recorders and the programs that they prepared left in a /tmp that is the rig's alone. */
function leftovers(): Result {
  const left = readdirSync('/tmp', { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && /^(perf-|jit-|\.perf)/.test(entry.name))
    .map(({ name }) => name);
  const difference = left.length === 0 ? '' : `${left.length} left: ${left.slice(0, 5).join(' ')}`;
  return {
    name: 'nothing is left in /tmp',
    verdict: left.length === 0 ? 'passed' : 'failed',
    difference,
    seconds: 0,
  };
}

function print({ name, verdict, difference }: Result): void {
  console.log(`${verdict}: ${name}${difference === '' ? '' : `\n    ${difference}`}`);
}

/** A line for each part and way, and one for all. */
function printTable(results: readonly Result[]): void {
  const groups = new Map<string, Record<Result['verdict'], number>>();
  const all = { passed: 0, known: 0, failed: 0, unsteady: 0, skipped: 0 };
  for (const { name, verdict } of results) {
    const group = name.startsWith('hostile | ') ? 'hostile' : name.split(' | ', 2).join(' | ');
    const counts = groups.get(group) ?? { passed: 0, known: 0, failed: 0, unsteady: 0, skipped: 0 };
    counts[verdict]++;
    all[verdict]++;
    groups.set(group, counts);
  }
  for (const [group, counts] of [...groups].sort()) {
    const { passed, known, failed, unsteady } = counts;
    console.log(
      `${group.padEnd(24)} ${passed} passed, ${known} known, ${failed} failed, ${unsteady} unsteady`,
    );
  }
  console.log(
    `${all.passed + all.known} passed, ${all.failed + all.unsteady} failed, ${all.skipped} skipped`,
  );
}
