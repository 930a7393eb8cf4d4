import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILE_FORMATS } from '../../src/options/export.ts';
import { pick, type Random } from '../fuzz/mutate-bytes.ts';
import { toText } from '../fuzz/target.ts';
import { recordingSeeds } from '../fuzz/targets/recording.ts';
import { hasCorpora, readCorpus } from '../helpers/corpora.ts';
import { seededRandom } from '../helpers/random.ts';
import { archiveShapes } from './archive-shapes.ts';
import { headerShapes } from './header-shapes.ts';
import { mixedShapes } from './mixed-shapes.ts';
import { packedShapes } from './packed-shapes.ts';
import { recordingShapes } from './recording-shapes.ts';
import type { Shape } from './shape.ts';
import { textShapes } from './text-shapes.ts';

/** No file of a case is meant to be larger; those of shapes that add to a size are cut. */
export const LARGEST = 100_000_000;
/** Bytes of the largest file taken of the corpora, so that a case is still made of several. */
const LARGEST_SEED = 1_000_000;

const SCRIPT = `app  1234/1235 [001]  4585.388877:     250000 cycles:u:
	    55d0c2a01139 leaf+0x9 (/usr/bin/app)
	    55d0c2a01160 main+0x10 (/usr/bin/app)

a b c  7 [000]  4585.388900: sched:sched_switch: prev_comm=a prev_pid=7
	ffffffff81001200 do_syscall_64+0x20 ([kernel.kallsyms])
	           0 [unknown] ([unknown])

`;
const FOLDED = 'app;main;leaf 12\napp;main;idle_[k] 3\nnode;(anonymous);*fib /srv/a.js:3 100000\n';
const TEXTS = [
  'jlfwong+speedscope/simple.linux-perf.txt',
  'jlfwong+speedscope/recursion.txt',
  'jonhoo+inferno/go-stacks.txt',
  'brendangregg+FlameGraph/perf-js-stacks-01.txt',
  'brendangregg+FlameGraph/perf-cycles-instructions-01.txt',
];

/** All shapes; made once, as the corpora are read for it. */
export function allShapes(): readonly Shape[] {
  const texts = hasCorpora ? TEXTS.map((path) => toText(readCorpus(path))) : [];
  return [
    ...recordingShapes,
    ...packedShapes,
    ...headerShapes,
    ...textShapes([SCRIPT, FOLDED, ...texts]),
    ...mixedShapes(recordingSeeds(LARGEST_SEED)),
    ...archiveShapes,
  ];
}

export type Case = {
  readonly shape: string;
  /** Bytes of the file. */
  readonly size: number;
  /** Which of the exports is made of it. */
  readonly format: (typeof FILE_FORMATS)[number];
};

/** Most cases are small, so that there can be many; three in a thousand are as large as they may be. */
function sizeOf(random: Random): number {
  const part = random();
  const [least, most] = part < 0.92 ? [1e3, 1e5] : part < 0.997 ? [1e5, 3e6] : [3e6, LARGEST];
  return Math.round(least * (most / least) ** random());
}

/**
 * Writes the file of case `seed` into `folder`, with what is beside it: of each shape in turn, of a size
 * that is drawn or given.
 */
export function writeCase(
  shapes: readonly Shape[],
  seed: number,
  folder: string,
  size: number | null,
): Case {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ (seed >>> 7));
  const shape = shapes[seed % shapes.length];
  const drawn = sizeOf(random);
  const bytes = shape.make(random, size ?? drawn).subarray(0, LARGEST);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'perf.data'), bytes);
  for (const [path, beside] of shape.beside?.(random, size ?? drawn) ?? []) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), beside);
  }
  return { shape: shape.name, size: bytes.length, format: pick(random, FILE_FORMATS) };
}
