import { checkArguments } from '../../options/arguments.ts';
import { CpuidLeaves } from './leaves.ts';

/**
 * The leaves of one logical CPU out of a text with those of a machine.
 *
 * Two forms are known, and lines of neither are skipped:
 *
 *   CPU 0:                                          cpuid -r
 *      0x0000000a 0x00: eax=0x08300805 ebx=0x00000000 ecx=0x0000000f edx=0x00008604
 *
 *   ------[ CPUID Registers / Logical CPU #0 ]------          AIDA64
 *   CPUID 0000000A: 08300805-00000000-0000000F-00008604
 *   CPUID 00000023: 0000000B-00000003-00000000-00000000 [SL 00]
 */
export type LeafDump = { readonly cpu: number; readonly leaves: CpuidLeaves };

const CPU_LINE = /^\s*CPU (\d+):\s*$|CPUID Registers \/ Logical CPU #(\d+)/;
const RAW_LINE =
  /^\s*0x([0-9a-f]{8}) 0x([0-9a-f]{2}): eax=0x([0-9a-f]{8}) ebx=0x([0-9a-f]{8}) ecx=0x([0-9a-f]{8}) edx=0x([0-9a-f]{8})/i;
const TABLE_LINE =
  /^CPUID ([0-9a-f]{8}): ([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})(?: \[SL ([0-9a-f]{2})\])?/i;

/**
 * Every CPU of the text that has leaves, in its order. Lines before the first CPU are CPU 0.
 *
 * @example
 * ```ts
 * import { parseLeafDumps } from 'perf-ts';
 *
 * const text = 'CPU 3:\n   0x00000000 0x00: eax=0x00000020 ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69';
 * for (const { cpu, leaves } of parseLeafDumps(text)) console.log(cpu, leaves.find(0));
 * ```
 */
export function parseLeafDumps(text: string): readonly LeafDump[] {
  checkArguments({ text });
  const dumps: LeafDump[] = [];
  let current: LeafDump | null = null;
  let cpu = 0;
  for (const line of text.split(/\r?\n/)) {
    const header = CPU_LINE.exec(line);
    if (header !== null) {
      cpu = Number(header[1] ?? header[2]);
      current = null;
      continue;
    }
    const cells = readLine(line);
    if (cells === null) continue;
    if (current === null) {
      current = { cpu, leaves: new CpuidLeaves() };
      dumps.push(current);
    }
    const [leaf, subleaf, eax, ebx, ecx, edx] = cells;
    current.leaves.set(leaf, subleaf, { eax, ebx, ecx, edx });
  }
  return dumps;
}

type Cells = [number, number, number, number, number, number];

function readLine(line: string): Cells | null {
  const raw = RAW_LINE.exec(line);
  if (raw !== null) return raw.slice(1).map(hex) as Cells;
  const table = TABLE_LINE.exec(line);
  if (table === null) return null;
  const [leaf, eax, ebx, ecx, edx] = table.slice(1, 6).map(hex) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return [leaf, hex(table[6] ?? '0'), eax, ebx, ecx, edx];
}

function hex(digits: string): number {
  return Number.parseInt(digits, 16);
}
