import { expectTypeOf, test } from 'vitest';
import type { LiveOptions } from '../../src/options/live.ts';
import type { RecordOptions } from '../../src/options/record.ts';
import type { TopOptions } from '../../src/options/top.ts';

// The compiler is what tests here: `npm run check` reads this file.

const command = ['./app'];

test('options of a recording compile with exactly one target', () => {
  expectTypeOf({ command }).toExtend<RecordOptions>();
  expectTypeOf({ command, systemWide: true as boolean }).toExtend<RecordOptions>();
  expectTypeOf({ pids: [1], cpus: [0], durationMs: 5 }).toExtend<RecordOptions>();
  expectTypeOf({ tids: [1] }).toExtend<RecordOptions>();
  expectTypeOf({ systemWide: true as const, cpus: [0] }).toExtend<RecordOptions>();
  expectTypeOf({ cpus: [0] }).toExtend<RecordOptions>();
  expectTypeOf({}).not.toExtend<RecordOptions>();
  expectTypeOf({ freq: 99 }).not.toExtend<RecordOptions>();
  expectTypeOf({ command, pids: [1] }).not.toExtend<RecordOptions>();
  expectTypeOf({ pids: [1], tids: [1] }).not.toExtend<RecordOptions>();
  expectTypeOf({ pids: [1], systemWide: true as const }).not.toExtend<RecordOptions>();
});

test('a frequency and a count do not compile together, wherever samples are asked for', () => {
  type Both = { command: string[]; freq: 99; count: 3 };
  expectTypeOf<Both>().not.toExtend<RecordOptions>();
  expectTypeOf<Both>().not.toExtend<LiveOptions>();
  expectTypeOf<Both>().not.toExtend<TopOptions>();
  expectTypeOf<Omit<Both, 'freq'>>().toExtend<RecordOptions>();
  expectTypeOf<Omit<Both, 'count'>>().toExtend<LiveOptions>();
  expectTypeOf<Omit<Both, 'count'>>().toExtend<TopOptions>();
});
