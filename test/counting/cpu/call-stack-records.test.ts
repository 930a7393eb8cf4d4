import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callStackRecords } from '../../../src/counting/cpu/call-stack-records.ts';
import { decodeCapabilities } from '../../../src/counting/cpu/capabilities.ts';
import { parseLeafDumps } from '../../../src/counting/cpu/leaf-dump.ts';

function recordsOf(name: string) {
  const text = readFileSync(new URL(`fixtures/${name}.txt`, import.meta.url), 'utf8');
  const [core] = parseLeafDumps(text);
  if (core === undefined) throw new Error(`${name} has no leaves`);
  return callStackRecords(decodeCapabilities(core.leaves));
}

describe("whether a CPU's branch records can be call stacks", () => {
  it.each([
    ['sapphire-rapids', true],
    ['granite-rapids', true],
    ['lunar-lake', true],
    // Before CPUID[0x1C] it is a matter of the model.
    ['skylake-x', null],
    ['nehalem', null],
    // Before counters were architectural.
    ['prescott', false],
    // AMD's are branches only, also where there are 16 of them.
    ['genoa', false],
    ['epyc-in-kvm', false],
  ])('branch records of %s as call stacks: %s', (name, has) => {
    expect(recordsOf(name).has).toBe(has);
  });
});
