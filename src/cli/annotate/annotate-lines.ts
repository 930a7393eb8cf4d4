import { basename } from 'node:path';
import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { formatAddress } from '../../base/u64.ts';
import type { CodePart } from '../../code/disassembly/types.ts';
import type { InstructionWeights } from '../../questions/instructions.ts';
import type { LineShare } from '../../questions/lines.ts';

/** The text of a line of a source file; null where it can't be shown. */
export type LineText = (file: string, line: number) => string | null;

/** Width of a share, of a number of samples and of an address. */
const SHARE = 7;
const SAMPLES = 8;
const ADDRESS = 12;

/**
 * A piece of code, with the source line above the instructions that came from it:
 *
 *     self  samples       address  source and instructions
 *                                  sort.c:12  for (i = 0; i < n; i++)
 *   12.30%       62          1139  add rax, rbx
 *
 * `all` is the weight of the function. Rows without samples are printed as well: they are what runs.
 */
export function assemblyLines(
  part: CodePart,
  { self, inlined, samples }: InstructionWeights,
  all: number,
  textOf: LineText,
): string[] {
  const lines = [headOf('source and instructions')];
  const gaps = new Map(part.gaps.map((gap) => [gap.before, gap]));
  let shown = -1;
  for (let row = 0; row < part.text.length; row++) {
    pushGap(lines, gaps.get(row));
    const at = part.location[row];
    if (at !== shown && at >= 0) {
      const { file, line, inlined: calls } = part.locations[at];
      lines.push(`${indent()}${placeText(file, line, calls, textOf)}`);
    }
    shown = at;
    const weight = self[row] + inlined[row];
    const address = formatAddress(part.start + part.offset[row]).replace(/^0x/, '');
    lines.push(
      `${figures(weight, samples[row], all)}${address.padStart(ADDRESS)}  ${printable(instructionText(part, row))}`,
    );
  }
  pushGap(lines, gaps.get(part.text.length));
  return lines;
}

/** Lines of one file with the weight of their samples; `all` is that of the samples with the function on the stack. */
export function sourceLines(
  file: string,
  rows: readonly LineShare[],
  all: number,
  textOf: LineText,
): string[] {
  const lines = [`${'self'.padStart(SHARE)}  ${'total'.padStart(SHARE)}  ${printable(file)}`];
  for (const { line, weight, total } of rows) {
    const text = printable(textOf(file, line) ?? '');
    lines.push(`${lineShares(weight, total, all)}  ${String(line).padStart(5)}  ${text}`.trimEnd());
  }
  return lines;
}

/** The row of what has the function on the stack at no line that is known. */
export function unknownLine({ weight, total }: LineShare, all: number): string {
  return `${lineShares(weight, total, all)}  ${'?'.padStart(5)}  (no line is known)`;
}

function lineShares(self: number, total: number, all: number): string {
  return [self, total].map((part) => formatShare(part / all).padStart(SHARE)).join('  ');
}

function headOf(title: string): string {
  return `${'self'.padStart(SHARE)}${'samples'.padStart(SAMPLES + 1)}${'address'.padStart(ADDRESS)}  ${title}`;
}

function indent(): string {
  return ' '.repeat(SHARE + SAMPLES + 1 + ADDRESS + 2);
}

/** Empty cells where nothing was sampled, so that the eye finds what was. */
function figures(weight: number, samples: number, all: number): string {
  if (samples === 0) return ' '.repeat(SHARE + SAMPLES + 1);
  const share = formatShare(weight / all).padStart(SHARE);
  return `${share}${formatCount(samples).padStart(SAMPLES + 1)}`;
}

function pushGap(lines: string[], gap: CodePart['gaps'][number] | undefined): void {
  if (gap === undefined) return;
  const { instructions, bytes } = gap;
  lines.push(
    `${indent()}… ${formatCount(instructions)} instructions (${formatCount(bytes)} bytes) without samples`,
  );
}

function placeText(
  file: string,
  line: number,
  inlined: readonly string[],
  textOf: LineText,
): string {
  const calls = inlined.length === 0 ? '' : ` (inlined ${inlined.map(printable).join(' in ')})`;
  const text = line === 0 ? null : textOf(file, line);
  const place = `${printable(basename(file))}${line === 0 ? '' : `:${line}`}${calls}`;
  return text === null ? place : `${place}  ${printable(text.trim())}`;
}

/** The name of what is called or jumped to behind the instruction, as disassemblers have it. */
function instructionText({ text, refers, target, start, offset }: CodePart, row: number): string {
  if (refers[row] !== '') return `${text[row]}  <${refers[row]}>`;
  if (target[row] < 0) return text[row];
  const to = formatAddress(start + offset[target[row]]).replace(/^0x/, '');
  return `${text[row]}  ${target[row] < row ? '↑' : '↓'} ${to}`;
}
