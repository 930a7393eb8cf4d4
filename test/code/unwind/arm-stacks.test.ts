// 32-bit Arm programs stepped through by QEMU: every stack is known from the calls and returns on the
// way. fixtures/make-arm-stacks.mjs made them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseElf } from '../../../src/code/elf/elf-file.ts';
import { createUnwinder } from '../../../src/code/unwind/architectures/create-unwinder.ts';
import { StackBytes32 } from '../../../src/code/unwind/stack-bytes.ts';
import { UnwindModule } from '../../../src/code/unwind/unwind-module.ts';
import { readSections } from '../../../src/read/unwind/unwind-sections.ts';
import { ModuleRanges } from '../../helpers/module-ranges.ts';

type Build = {
  readonly name: string;
  /** base64 */
  readonly elf: string;
  readonly samples: readonly {
    readonly registers: readonly number[];
    /** hex, from the stack pointer upwards */
    readonly stack: string;
    /** Return addresses, innermost first. */
    readonly callers: readonly number[];
  }[];
};

const file = join(import.meta.dirname, 'fixtures/arm-stacks.json.gz');
const builds = JSON.parse(gunzipSync(readFileSync(file)).toString()) as readonly Build[];

/**
 * Samples whose stacks come out otherwise. Tables for exceptions hold at calls, so in a prologue or
 * epilogue the caller of frame 0 is missing or taken for another.
 */
const MOST_DIFFERENT: Readonly<Record<string, number>> = {
  'Thumb, .debug_frame': 0,
  'Arm, .debug_frame': 0,
  'Thumb, .ARM.exidx': 1,
  'Arm, .ARM.exidx': 1,
  'Thumb with r7, .ARM.exidx': 2,
  'Arm, frame pointers': 0,
};

test.each(builds)('stacks of $name are those of the calls made', ({ name, elf: text, samples }) => {
  const diagnostics = new Diagnostics();
  const elf = parseElf(memorySource(Buffer.from(text, 'base64')), diagnostics)!;
  const module = new UnwindModule(name, () => readSections(elf, diagnostics));
  const [segment] = elf.programHeaders.filter(({ type, flags }) => type === 1 && (flags & 1) !== 0);
  const { address, memorySize } = segment;
  const ranges = [{ start: address, end: address + memorySize, module, loadBias: 0 }];
  const modules = new ModuleRanges(ranges);
  const unwinder = createUnwinder('arm');
  const out = new Float64Array(64);
  const different: string[] = [];
  for (const { registers, stack, callers } of samples) {
    const bytes = Buffer.from(stack, 'hex');
    const copy = new StackBytes32();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    copy.set(view, 0, bytes.length, registers[13]);
    const values = Float64Array.from(registers);
    values[14] -= values[14] % 2;
    const count = unwinder.unwind(values, copy, modules, out);
    const hex = (list: readonly number[]) => list.map((at) => at.toString(16)).join(' ');
    const expected = hex([registers[15], ...callers]);
    const found = hex([...out.subarray(0, count)]);
    if (found !== expected) different.push(`${found} | ${expected}`);
  }
  expect(samples.length).toBeGreaterThan(30);
  expect(different.slice(MOST_DIFFERENT[name])).toEqual([]);
});
