import { expectTypeOf, test } from 'vitest';
import type { RecordOptions, RecordTarget } from '../../src/options/record.ts';

// The compiler is what tests here: `npm run check` reads this file.

test('exactly one target compiles', () => {
  type Options = RecordOptions & RecordTarget;
  const command = ['./app'];
  expectTypeOf({ command }).toExtend<Options>();
  expectTypeOf({ command, systemWide: true as boolean }).toExtend<Options>();
  expectTypeOf({ pids: [1], cpus: [0], durationMs: 5 }).toExtend<Options>();
  expectTypeOf({ tids: [1] }).toExtend<Options>();
  expectTypeOf({ systemWide: true as const, cpus: [0] }).toExtend<Options>();
  expectTypeOf({ cpus: [0] }).toExtend<Options>();
  expectTypeOf({}).not.toExtend<Options>();
  expectTypeOf({ freq: 99 }).not.toExtend<Options>();
  expectTypeOf({ command, pids: [1] }).not.toExtend<Options>();
  expectTypeOf({ pids: [1], tids: [1] }).not.toExtend<Options>();
  expectTypeOf({ pids: [1], systemWide: true as const }).not.toExtend<Options>();
});
