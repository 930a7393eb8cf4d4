import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainLines, parseRegister } from '../../../src/cli/cpu/cpu-explain.ts';
import { perfTs, projectRoot } from '../../helpers/cli.ts';
import { outdent } from '../../helpers/format-tree.ts';

const PLAIN = { colour: false };
const fixture = (name: string) => join(projectRoot, `test/counting/cpu/fixtures/${name}.txt`);

describe('perf-ts cpu --explain', () => {
  it('cpu takes 0x004300c0 apart and names the register pairs', () => {
    const text = explainLines(0x4300c0n, 'intel', PLAIN).join('\n');
    expect(text).toContain(
      outdent(`
        counter  select  count
        0        0x186   0xc1
        1        0x187   0xc2
        2        0x188   0xc3
        3        0x189   0xc4
        IA32_PERFEVTSELn is MSR 0x186 + n, IA32_PMCn is MSR 0xc1 + n

        to count the same: -e rc0
        perf-ts writes no registers: the kernel does, and sets INT and EN itself
      `),
    );
    expect(text).toMatch(/^ *22 +EN +0x1 +the counter counts/m);
  });

  it('cpu gives the modifiers of the mode, and AMD’s registers', () => {
    const amd = explainLines(0x1_0041_00d0n, 'amd', PLAIN).join('\n');
    expect(amd).toContain('to count the same: -e r1000000d0:u');
    expect(amd).toMatch(/^1 +0xc0010202 +0xc0010203$/m);
    // ANY and EQ go with the event; USR, OS, INT and EN are the kernel's.
    const more = explainLines(0x10_0173_00c0n | (1n << 21n), 'intel', PLAIN).join('\n');
    expect(more).toContain('-e r10012000c0');
    const none = explainLines(0xc0n, 'intel', PLAIN).join('\n');
    expect(none).not.toContain('-e');
  });

  it('perf-ts cpu --explain takes hex of up to 64 bits', () => {
    expect(parseRegister('0x004300C0')).toBe(0x4300c0n);
    expect(parseRegister('4300c0')).toBe(0x4300c0n);
    expect(() => parseRegister('cycles')).toThrow('not a number in hex');
    expect(() => parseRegister(`1${'0'.repeat(16)}`)).toThrow('more than 64 bits');
  });

  it('cpu --explain --json prints one JSON document', () => {
    const run = perfTs(['cpu', '--explain', '0x004300c0', '--vendor', 'intel', '--json']);
    expect(run.status).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      vendor: 'intel',
      register: '0x4300c0',
      event: 'rc0',
      counters: [{ counter: 0, select: '0x186', count: '0xc1' }, {}, {}, {}],
    });
  });
});

describe('perf-ts cpu --leaves', () => {
  it('cpu describes the processor of a dump, each fact with its register', () => {
    const { stdout, status } = perfTs(['cpu', '--leaves', fixture('tiger-lake-i5-1135g7')]);
    expect(status).toBe(0);
    expect(stdout).toContain(
      '11th Gen Intel(R) Core(TM) i5-1135G7 @ 2.40GHz, GenuineIntel family 6',
    );
    expect(stdout).toMatch(/^general counters +8 of 48 bits$/m);
    expect(stdout).toMatch(/^fixed counters +4 of 48 bits: 0 instructions retired, 1 unhalted/m);
    expect(stdout).toMatch(/^unhalted core cycles +3CH +00H +yes$/m);
    expect(stdout).toMatch(/^width of general counters +48 +CPUID\[0x0A\]\.EAX\[23:16\]$/m);
  });

  it('perf-ts cpu --leaves shows both core types of a hybrid processor', () => {
    const { stdout } = perfTs(['cpu', '--leaves', fixture('lunar-lake')]);
    expect(stdout).toMatch(/^CPU 0\n.*performance core/m);
    expect(stdout).toMatch(/^CPU 4\n.*efficiency core/m);
  });

  it('perf-ts cpu --leaves refuses a file that is not a dump', () => {
    const none = perfTs(['cpu', '--leaves', join(projectRoot, 'package.json')]);
    expect(none.status).toBe(125);
    expect(none.stderr).toContain('no CPUID leaves in it');
    expect(perfTs(['cpu', '--leaves', '/nowhere']).status).toBe(125);
    expect(perfTs(['cpu', '--explain', 'xyz']).status).toBe(2);
    expect(perfTs(['cpu', '--vendor', 'amd']).status).toBe(2);
  });
});
