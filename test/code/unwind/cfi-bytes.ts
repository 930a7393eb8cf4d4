// Hand-made frame tables and stacks.

import { expect } from 'vitest';
import { createUnwinder } from '../../../src/code/unwind/architectures/create-unwinder.ts';
import type {
  UnwindArchitecture,
  UnwindSection,
  UnwindSections,
} from '../../../src/code/unwind/module-input.ts';
import { REGISTER_COUNT } from '../../../src/code/unwind/register-dump.ts';
import {
  createStackBytes,
  type StackBytes,
  type StackBytes32,
  wordBytesOf,
} from '../../../src/code/unwind/stack-bytes.ts';
import { STOP_NAMES } from '../../../src/code/unwind/stop-reason.ts';
import { UnwindModule } from '../../../src/code/unwind/unwind-module.ts';
import type { Unwinder } from '../../../src/code/unwind/unwinder.ts';
import { ModuleRanges } from '../../helpers/module-ranges.ts';

/** Where `.eh_frame` lies in the file; functions are below. */
export const EH_FRAME_ADDRESS = 0x8000;
export const LOAD_BIAS = 0x5500_0000_0000;
export const STACK = 0x7ffe_0000_0000;

export function u32(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff];
}

export function uleb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const byte = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? byte | 0x80 : byte);
  } while (rest > 0);
  return bytes;
}

export function sleb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}

/** Instructions, as the assembler's directives name them. Factors: code 1 unless said, data −8. */
export const cfa = {
  def: (register: number, offset: number) => [0x0c, ...uleb(register), ...uleb(offset)],
  defRegister: (register: number) => [0x0d, ...uleb(register)],
  defOffset: (offset: number) => [0x0e, ...uleb(offset)],
  defExpression: (...operations: number[]) => [0x0f, ...uleb(operations.length), ...operations],
  /** Saved at cfa + `offset`, a negative multiple of 8; of 32 bits, twice of what it is. */
  offset: (register: number, offset: number) => [0x80 | register, ...uleb(-offset / 8)],
  expression: (register: number, ...operations: number[]) => [
    0x10,
    ...uleb(register),
    ...uleb(operations.length),
    ...operations,
  ],
  undefined: (register: number) => [0x07, ...uleb(register)],
  advance: (bytes: number) => [0x02, bytes],
  /** The four encodings of an advance by so many units of the code factor. */
  advanceShort: (units: number) => [0x40 | units],
  advance1: (units: number) => [0x02, units],
  advance2: (units: number) => [0x03, units & 0xff, units >>> 8],
  advance4: (units: number) => [0x04, ...u32(units)],
  rememberState: () => [0x0a],
  restoreState: () => [0x0b],
};

export type FunctionTable = {
  /** File address and bytes of the function. */
  readonly start: number;
  readonly size: number;
  readonly program: readonly (readonly number[])[];
  /** Of a signal trampoline. */
  readonly isSignal?: boolean;
  /** The code factor, below 128; default 1. */
  readonly codeFactor?: number;
};

/** What every function of the architecture starts with. */
const INITIAL: Readonly<Record<UnwindArchitecture, { register: number; program: number[] }>> = {
  'x86-64': { register: 16, program: [...cfa.def(7, 8), ...cfa.offset(16, -8)] },
  // One data factor lower: its words are half as long.
  i386: { register: 8, program: [...cfa.def(4, 4), ...cfa.offset(8, -8)] },
  aarch64: { register: 30, program: cfa.def(31, 0) },
  arm: { register: 14, program: cfa.def(13, 0) },
};

/** Addresses of code and stacks of 32 bits. */
export const LOAD_BIAS_32 = 0x5650_0000;
export const STACK_32 = 0xffad_e000;

const SP_AND_IP: Readonly<Record<UnwindArchitecture, readonly [number, number]>> = {
  'x86-64': [7, 16],
  i386: [4, 8],
  aarch64: [31, 32],
  arm: [13, 15],
};

/** An `.eh_frame` of a CIE and an FDE per function: `zR` or `zRS`, addresses as 4 bytes, pcrel. */
export function ehFrame(
  functions: readonly FunctionTable[],
  architecture: UnwindArchitecture = 'x86-64',
): UnwindSection {
  const bytes: number[] = [];
  const entry = (body: number[]) => {
    while ((body.length + 4) % 8 !== 0) body.push(0);
    bytes.push(...u32(body.length));
    for (const byte of body) bytes.push(byte);
  };
  const { register, program: initial } = INITIAL[architecture];
  for (const { start, size, program, isSignal, codeFactor = 1 } of functions) {
    const cieAt = bytes.length;
    const augmentation = isSignal === true ? 'zRS' : 'zR';
    const letters = [...augmentation].map((letter) => letter.charCodeAt(0));
    const factor = sleb(-wordBytesOf(architecture));
    entry([...u32(0), 1, ...letters, 0, codeFactor, ...factor, register, 1, 0x1b, ...initial]);
    const idAt = bytes.length + 4;
    const startAt = idAt + 4;
    const relative = start - (EH_FRAME_ADDRESS + startAt);
    entry([...u32(idAt - cieAt), ...u32(relative), ...u32(size), 0].concat(program.flat()));
  }
  return { bytes: Uint8Array.from([...bytes, ...u32(0)]), address: EH_FRAME_ADDRESS };
}

/** A `.debug_frame` of one CIE, version 4, and an FDE per function. */
export function debugFrame(functions: readonly FunctionTable[]): UnwindSection {
  const u64 = (value: number) => [...u32(value), ...u32(0)];
  const entry = (body: number[]) => [...u32(body.length), ...body];
  const initial = [...cfa.def(7, 8), ...cfa.offset(16, -8)];
  const bytes = entry([...u32(0xffffffff), 4, 0, 8, 0, 1, ...sleb(-8), 16, ...initial]);
  for (const { start, size, program } of functions) {
    bytes.push(...entry([...u32(0), ...u64(start), ...u64(size), ...program.flat()]));
  }
  return { bytes: Uint8Array.from(bytes), address: 0 };
}

export function sections(parts: Partial<UnwindSections>): UnwindSections {
  return {
    ehFrame: null,
    ehFrameHdr: null,
    debugFrame: null,
    textAddress: 0,
    gotAddress: 0,
    readText: null,
    ...parts,
  };
}

/** Code that is `bytes` from file address `start` on and unreadable elsewhere. */
export function textAt(start: number, bytes: readonly number[]): UnwindSections['readText'] {
  return (address, length) => {
    const text = new Uint8Array(bytes.length + 256);
    text.set(bytes, 128);
    const at = address - start + 128;
    return at < 0 || at >= text.length ? null : text.subarray(at, at + length);
  };
}

/** A word of the stack, or the return address into the module at that file address. */
export type Word = number | { readonly code: number };

export type UnwindInput = {
  readonly architecture?: UnwindArchitecture;
  readonly sections: UnwindSections | null;
  /** File address of the sample's ip. */
  readonly ip: number;
  /** By DWARF number; sp is `STACK` or `STACK_32`. */
  readonly registers?: Readonly<Record<number, number>>;
  /** From `STACK` upwards. */
  readonly stack: readonly Word[];
  readonly unwinder?: Unwinder;
  readonly mostFrames?: number;
  /** File address of the last return address that is wanted. */
  readonly last?: number;
  readonly isVdso?: boolean;
};

export function stackBytes(
  words: readonly Word[],
  architecture: UnwindArchitecture = 'x86-64',
): StackBytes | StackBytes32 {
  const wordBytes = wordBytesOf(architecture);
  const { stack: start, loadBias } = placesOf(architecture);
  const view = new DataView(new ArrayBuffer(words.length * wordBytes));
  words.forEach((word, i) => {
    const value = typeof word === 'number' ? word : word.code + loadBias;
    if (wordBytes === 4) view.setUint32(i * 4, value, true);
    else view.setBigInt64(i * 8, BigInt(value), true);
  });
  const stack = createStackBytes(architecture);
  stack.set(view, 0, view.byteLength, start);
  return stack;
}

function placesOf(architecture: UnwindArchitecture): { stack: number; loadBias: number } {
  return wordBytesOf(architecture) === 4
    ? { stack: STACK_32, loadBias: LOAD_BIAS_32 }
    : { stack: STACK, loadBias: LOAD_BIAS };
}

/**
 * Frames as file addresses in hex, an exact one with `!` behind, and the reason of the stop. An
 * unwinder of its own goes again by the rules that it has kept, those of the addresses and, as in
 * another process, those of the file, and must find the same.
 */
export function unwind(input: UnwindInput): string {
  const architecture = input.architecture ?? 'x86-64';
  const unwinder = input.unwinder ?? createUnwinder(architecture);
  const [sp, ip] = SP_AND_IP[architecture];
  const { stack: start, loadBias } = placesOf(architecture);
  const registers = new Float64Array(REGISTER_COUNT[architecture]).fill(Number.NaN);
  registers[sp] = start;
  registers[ip] = input.ip + loadBias;
  for (const [number, value] of Object.entries(input.registers ?? {})) {
    registers[Number(number)] = value;
  }
  const { isVdso = false } = input;
  const module = new UnwindModule('a.out', () => input.sections, undefined, isVdso);
  const newModules = () =>
    new ModuleRanges([{ start: loadBias, end: loadBias + 0x10000, module, loadBias }]);
  const unwindOnce = (modules: ModuleRanges): string => {
    const out = new Float64Array(input.mostFrames ?? 1024);
    const stack = stackBytes(input.stack, architecture);
    const last = (input.last ?? Number.NaN) + loadBias;
    const count = unwinder.unwind(registers, stack, modules, out, undefined, last);
    const frames = [...out.subarray(0, count)].map((address, i) => {
      const isMarked = i > 0 && unwinder.isExact[i] === 1;
      return `${(address - loadBias).toString(16)}${isMarked ? '!' : ''}`;
    });
    return `${frames.join(' ')} | ${STOP_NAMES[unwinder.stopReason]}`;
  };
  const modules = newModules();
  const found = unwindOnce(modules);
  if (input.unwinder === undefined) {
    const again = { byAddress: unwindOnce(modules), byFile: unwindOnce(newModules()) };
    expect(again).toEqual({ byAddress: found, byFile: found });
  }
  return found;
}
