import { writeFileSync } from 'node:fs';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import {
  PERF_CONTEXT,
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE,
} from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { elfBytes, symbolBytes } from '../code/elf/elf-bytes.ts';
import { perfDataFile, record } from './record-builder.ts';

/** A function by its name and the bytes of its code. */
export type DrawnFunction = readonly [name: string, code: readonly number[]];

/** A place in a function: bytes from its start. Of a caller, that behind its call. */
export type DrawnPlace = readonly [name: string, offset: number];

/** Where the first function is in the file, and as its symbol has it. */
export const CODE_OFFSET = 120;
export const CODE_ADDRESS = 0x400078;
const MAPPED_AT = 0x7f0000000000;
const EXECINSTR_ALLOC = 6;

/** Writes an ELF file of x86-64, or another machine, with these functions one after the other. */
export function writeProgram(
  path: string,
  functions: readonly DrawnFunction[],
  machine = 62,
): void {
  const code = Uint8Array.from(functions.flatMap(([, bytes]) => bytes));
  let value = CODE_ADDRESS;
  const symbols = functions.map(([name, bytes]) => {
    const symbol = { name, value, size: bytes.length };
    value += bytes.length;
    return symbol;
  });
  const { symtab, strtab } = symbolBytes(true, true, symbols);
  const size = CODE_OFFSET + code.length;
  const bytes = elfBytes({
    is64: true,
    littleEndian: true,
    machine,
    segments: [[1, 0, CODE_ADDRESS - CODE_OFFSET, size]],
    sections: [
      { name: '.text', type: 1, flags: EXECINSTR_ALLOC, address: CODE_ADDRESS, bytes: code },
      { name: '.symtab', type: 2, bytes: symtab, link: 3, entrySize: 24 },
      { name: '.strtab', type: 3, bytes: strtab },
    ],
  });
  writeFileSync(path, bytes);
}

/** Writes a recording of one process that maps the program; each sample a stack, innermost first. */
export function writeCodeRecording(
  path: string,
  program: string,
  functions: readonly DrawnFunction[],
  stacks: readonly (readonly DrawnPlace[])[],
): void {
  const { IP, TID, TIME, CALLCHAIN } = PERF_SAMPLE;
  const sampleType = IP | TID | TIME | CALLCHAIN;
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: false });
  const startOf = new Map<string, number>();
  let at = MAPPED_AT + CODE_OFFSET;
  for (const [name, code] of functions) {
    startOf.set(name, at);
    at += code.length;
  }
  const addressOf = ([name, offset]: DrawnPlace) => (startOf.get(name) as number) + offset;
  const mapping = { pid: 10, tid: 10, address: BigInt(MAPPED_AT), length: 0x100000n };
  writeFileSync(
    path,
    perfDataFile({
      attrs: [{ attr: newAttr({ samplePeriod: 1, sampleType }), ids: [] }],
      records: [
        encoder.mmap({ ...mapping, fileOffset: 0n, filename: program }),
        ...stacks.map((stack, i) =>
          record(PERF_RECORD.SAMPLE, PERF_RECORD_MISC.USER, (out) => {
            out.u64(addressOf(stack[0])).u32(10).u32(10);
            out
              .u64(100 + i)
              .u64(stack.length + 1)
              .u64(PERF_CONTEXT.USER);
            for (const place of stack) out.u64(addressOf(place));
          }),
        ),
      ],
    }),
  );
}
