import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type CpuCapabilities,
  decodeCapabilities,
} from '../../../src/counting/cpu/capabilities.ts';
import { parseLeafDumps } from '../../../src/counting/cpu/leaf-dump.ts';
import { type CpuidLeaves, WANTED_LEAVES } from '../../../src/counting/cpu/leaves.ts';
import { projectRoot, scratchDirectory } from '../../helpers/cli.ts';

const FIXTURES = join(projectRoot, 'test/counting/cpu/fixtures');
const scratch = scratchDirectory();

function hasCpuid(): boolean {
  try {
    execFileSync('cpuid', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('skipped: agreement with cpuid: the program is not installed');
    return false;
  }
}

/** The leaves in the form of `cpuid -r`, so that `cpuid -f` decodes them. */
function formatRaw(leaves: CpuidLeaves): string {
  const hex = (value: number, digits: number) => `0x${value.toString(16).padStart(digits, '0')}`;
  const lines = WANTED_LEAVES.flatMap(({ leaf, subleaves }) =>
    Array.from({ length: subleaves }, (_, subleaf) => {
      const found = leaves.find(leaf, subleaf);
      if (found === null) return '';
      const registers = Object.entries(found).map(([name, value]) => `${name}=${hex(value, 8)}`);
      return `   ${hex(leaf, 8)} ${hex(subleaf, 2)}: ${registers.join(' ')}`;
    }),
  );
  return ['CPU 0:', ...lines.filter((line) => line !== ''), ''].join('\n');
}

/** What both say, as `label = value`; cpuid prints numbers as `0x8 (8)`. */
function ourWords(found: CpuCapabilities): Record<string, unknown> {
  const { intel, amd } = found;
  const fact = (name: string) => found.facts.find((one) => one.name === name)?.value;
  return {
    'maximum physical address bits': found.physicalAddressBits,
    'maximum linear (virtual) address bits': found.virtualAddressBits,
    'hypervisor guest status': found.hypervisor !== null,
    ...(intel && {
      'version ID': intel.version,
      'number of counters per logical processor': fact('general counters'),
      'bit width of counter': intel.generalWidthBits,
      'length of EBX bit vector': fact('architectural events'),
      'number of contiguous fixed counters': fact('fixed counters in a row') ?? 0,
      'bit width of fixed counters': intel.fixedWidthBits,
    }),
    ...(amd && {
      'core performance counter extensions': amd.hasExtendedCore,
      'NB/DF performance counter extensions': amd.northbridge !== null,
      'LLC performance counter extensions': amd.cache !== null,
      'AMD performance monitoring V2': amd.perfMonV2,
    }),
    ...(amd?.perfMonV2 && {
      'number of core perf ctrs': amd.core.count,
      'number of avail Northbridge perf ctrs': amd.northbridge?.count,
    }),
  };
}

function theirWord(text: string, label: string): string | null {
  const escaped = label.replace(/[()/]/g, '\\$&');
  const match = new RegExp(`^ +${escaped} *= (?:0x\\w+ \\((\\d+)\\)|(\\w+))`, 'm').exec(text);
  return match === null ? null : (match[1] ?? match[2] ?? null);
}

it.skipIf(!hasCpuid())('every fixture is decoded as Debian’s cpuid decodes it', () => {
  let compared = 0;
  for (const name of readdirSync(FIXTURES).filter((file) => file.endsWith('.txt'))) {
    for (const { cpu, leaves } of parseLeafDumps(readFileSync(join(FIXTURES, name), 'utf8'))) {
      const file = join(scratch, `${cpu}-${name}`);
      writeFileSync(file, formatRaw(leaves));
      const text = execFileSync('cpuid', ['-f', file], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const both = Object.entries(ourWords(decodeCapabilities(leaves)))
        .map(([label, ours]) => [label, String(ours), theirWord(text, label)] as const)
        .filter(([, , theirs]) => theirs !== null);
      compared += both.length;
      expect({ name, named: both.map(([label, ours]) => `${label} = ${ours}`) }).toEqual({
        name,
        named: both.map(([label, , theirs]) => `${label} = ${theirs}`),
      });
    }
  }
  expect(compared).toBeGreaterThan(100);
});
