// What perf-ts adds to a Node that starts: CPU time of the program itself, and its peak memory.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './child.ts';
import type { Result } from './matrix.ts';
import type { FoundNode } from './nodes.ts';
import type { Place } from './ways.ts';

/** Runs of each kind, in turns; their median counts. */
const RUNS = 7;
/** A preload may cost a start of Node, and no more: twice is allowed, and memory of a small library. */
const MAX_RATIO = 2;
const MAX_KIB = 24 * 1024;

type Cost = { readonly cpuMs: number; readonly kib: number };
type Kind = 'plain' | 'launch' | 'register';

export async function measureCosts(
  nodes: readonly FoundNode[],
  place: Place,
  only: RegExp,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const node of nodes) {
    const kinds: Kind[] = node.major >= 18 ? ['plain', 'launch', 'register'] : ['plain', 'launch'];
    if (!kinds.some((kind) => only.test(nameFor(kind, node)))) continue;
    const costs = new Map<Kind, Cost[]>(kinds.map((kind) => [kind, []]));
    for (let i = 0; i < RUNS; i++) {
      for (const kind of kinds) costs.get(kind)?.push(await measure(node, place, kind));
    }
    const plain = medianOf(costs.get('plain') ?? []);
    for (const kind of kinds.slice(1))
      results.push(judge(kind, node, plain, medianOf(costs.get(kind) ?? [])));
  }
  return results;
}

const nameFor = (kind: Kind, node: FoundNode): string => `costs | ${kind} | Node ${node.major}`;

function judge(kind: Kind, node: FoundNode, plain: Cost, with_: Cost): Result {
  const ratio = with_.cpuMs / plain.cpuMs;
  const more = with_.kib - plain.kib;
  const difference =
    `start ${plain.cpuMs.toFixed(0)} ms of CPU, with perf-ts ${with_.cpuMs.toFixed(0)} ms; ` +
    `memory ${(plain.kib / 1024).toFixed(0)} MiB, ${more < 0 ? '' : '+'}${(more / 1024).toFixed(1)} MiB`;
  const verdict = ratio > MAX_RATIO || more > MAX_KIB ? 'failed' : 'passed';
  return { name: nameFor(kind, node), verdict, difference, seconds: 0 };
}

async function measure(node: FoundNode, place: Place, kind: Kind): Promise<Cost> {
  const cwd = mkdtempSync(join(place.scratch, 'cost-'));
  const program = [node.path, join(place.programs, 'cost.cjs')];
  const main = [process.execPath, join(place.root, 'dist/bin/main.js')];
  const words =
    kind === 'launch'
      ? [...main, 'record', '-q', '-F', '99', '-o', 'x.data', '--', ...program]
      : program;
  const preload = join(place.root, 'dist/register/preload.cjs');
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: place.scratch };
  if (kind === 'register') env.NODE_OPTIONS = `--require=${preload}`;
  try {
    await run(words, { cwd, env });
    return JSON.parse(readFileSync(join(cwd, 'cost.json'), 'utf8')) as Cost;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function medianOf(costs: readonly Cost[]): Cost {
  const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
  return {
    cpuMs: middle(costs.map(({ cpuMs }) => cpuMs)),
    kib: middle(costs.map(({ kib }) => kib)),
  };
}
