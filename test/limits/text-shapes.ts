// Texts of `perf script` and folded stacks; what is packed or of another tool is refused.

import { gzipSync } from 'node:zlib';
import { below, pick, type Random } from '../fuzz/mutate-bytes.ts';
import { mutateText } from '../fuzz/mutate-text.ts';
import { toBytes } from '../fuzz/target.ts';
import type { Shape } from './shape.ts';

/** Texts of tools, as long as `seedTexts` finds some. */
export type TextSeeds = readonly string[];

function lines(bytes: number, line: (index: number) => string): Uint8Array {
  const pieces: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes; index++) {
    const text = line(index);
    pieces.push(text);
    length += text.length + 1;
  }
  return toBytes(`${pieces.join('\n')}\n`);
}

const sample = (index: number, frames: string, event = 'cycles') =>
  `app ${10 + (index % 5)} [001] ${index}.${String(index % 1_000_000).padStart(6, '0')}: 1000 ${event}:\n${frames}`;

function frames(random: Random, depth: number): string {
  let text = '';
  for (let i = 0; i < depth; i++) {
    text += `\t${(4096 * i).toString(16)} f${below(random, 2 ** 30)}+0x4 (/lib/${i % 9}.so)\n`;
  }
  return text;
}

function folded(random: Random, depth: number, few: number): string {
  const names = Array.from({ length: depth }, () => `f${below(random, few)}`);
  return `app;${names.join(';')} ${1 + below(random, 9)}`;
}

export function textShapes(seeds: TextSeeds): readonly Shape[] {
  const text = (random: Random) => pick(random, seeds);
  return [
    {
      name: 'folded stacks',
      make: (random, bytes) => lines(bytes, () => folded(random, 10, 100)),
    },
    {
      name: 'folded stacks, all different',
      make: (random, bytes) => lines(bytes, () => folded(random, 20, 2 ** 30)),
    },
    {
      name: 'folded stacks in one line',
      make: (random, bytes) => toBytes(`app;${'f;'.repeat(bytes / 2)}g ${below(random, 9)}\n`),
    },
    {
      name: 'folded stacks of names alone',
      make: (_random, bytes) => lines(bytes, (index) => `c${index} 1`),
    },
    {
      name: 'folded stacks with large numbers',
      make: (random, bytes) =>
        lines(bytes, (index) => `a;b${index % 100} ${10 ** below(random, 8)}`),
    },
    {
      name: 'perf script',
      make: (random, bytes) => {
        const some = Array.from({ length: 50 }, () => frames(random, 8));
        return lines(bytes, (index) => sample(index, some[index % 50]));
      },
    },
    {
      name: 'perf script, all stacks different',
      make: (random, bytes) => lines(bytes, (index) => sample(index, frames(random, 16))),
    },
    {
      name: 'perf script, one deep stack',
      make: (random, bytes) => toBytes(sample(1, frames(random, bytes / 30))),
    },
    {
      name: 'perf script, other events each',
      make: (_random, bytes) =>
        lines(bytes, (index) => sample(index, '\t10 f (/a)\n', `ev${index}`)),
    },
    {
      name: 'perf script, another thread each',
      make: (_random, bytes) =>
        lines(bytes, (index) => `app ${index + 1} [001] 1.5: 1 cycles:\n\t10 f (/a)\n`),
    },
    {
      name: 'perf script without stacks',
      make: (_random, bytes) => lines(bytes, (index) => sample(index, '').trim()),
    },
    {
      name: 'comments of perf script',
      make: (_random, bytes) =>
        toBytes(`${'# hostname : x\n'.repeat(bytes / 15)}${sample(1, '\t10 f (/a)\n')}\n`),
    },
    {
      name: 'lines of any length',
      make: (random, bytes) =>
        toBytes(
          `app;f 1\n${pick(random, [' ', 'a', ';', '\t', '(', '0', '::'])}`.padEnd(bytes, ' x1:'),
        ),
    },
    {
      name: 'texts of tools, changed and repeated',
      make: (random, bytes) => {
        const changed = mutateText(text(random), text(random), random);
        return toBytes(changed.repeat(Math.max(1, Math.round(bytes / (changed.length + 1)))));
      },
    },
    {
      name: 'texts in gzip',
      make: (random, bytes) => gzipSync(Buffer.alloc(bytes, `${text(random)}\n`), { level: 1 }),
    },
    {
      name: 'JSON and protocol buffers',
      make: (random, bytes) =>
        random() < 0.5
          ? toBytes('['.repeat(bytes))
          : gzipSync(Buffer.alloc(bytes, Uint8Array.of(10, 4, 8, 1, 16, 2)), { level: 1 }),
    },
  ];
}
