// Recordings with call stacks of branch records, which no machine at hand makes: drawn by the layout
// of a sample, over the code of a real program so that names can be compared.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { memorySource } from '../../src/base/byte-source.ts';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { parseElf } from '../../src/code/elf/elf-file.ts';
import { writeString } from '../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { type EventAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import {
  PERF_CONTEXT,
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE,
  PERF_SAMPLE_BRANCH,
} from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { perfDataFile, record } from './record-builder.ts';

const { IDENTIFIER, IP, TID, TIME, CALLCHAIN, BRANCH_STACK } = PERF_SAMPLE;
const { USER, CALL_STACK, NO_FLAGS, NO_CYCLES, HW_INDEX } = PERF_SAMPLE_BRANCH;

/** As `perf record --call-graph lbr` asks for it. */
export const LBR_ATTR: EventAttr = newAttr({
  samplePeriod: 1,
  sampleType: IDENTIFIER | IP | TID | TIME | CALLCHAIN | BRANCH_STACK,
  branchSampleType: BigInt(USER | CALL_STACK | NO_FLAGS | NO_CYCLES | HW_INDEX),
});

/** Above every kernel's limit: perf enters the namespaces of a process that has the number. */
export const PID = 2 ** 22 + 10;
const ID = 5;

/** Context markers as they stand in a callchain. */
export const IN_KERNEL = BigInt.asUintN(64, BigInt(PERF_CONTEXT.KERNEL));
export const IN_USER = BigInt.asUintN(64, BigInt(PERF_CONTEXT.USER));

export type LbrSample = {
  /** By frame pointer, markers included, innermost first. */
  readonly callchain: readonly (number | bigint)[];
  /** Calls, the newest first. */
  readonly calls: readonly (readonly [from: number | bigint, to: number | bigint])[];
};

/** One sample record of `LBR_ATTR`. */
export function lbrSample({ callchain, calls }: LbrSample, time = 1000): Uint8Array {
  const ip = callchain.find((entry) => entry !== IN_KERNEL && entry !== IN_USER) ?? 0;
  const { KERNEL, USER: IS_USER } = PERF_RECORD_MISC;
  return record(PERF_RECORD.SAMPLE, callchain[0] === IN_KERNEL ? KERNEL : IS_USER, (out) => {
    out.u64(ID).u64(ip).u32(PID).u32(PID).u64(time);
    out.u64(callchain.length);
    for (const entry of callchain) out.u64(entry);
    out.u64(calls.length).u64(calls.length - 1);
    for (const [from, to] of calls) out.u64(from).u64(to).u64(0);
  });
}

/** Where the mapping of the program begins, in memory and in the file: at the same place. */
const MAPPED = 0x1000n;

/**
 * A recording of one process whose addresses are offsets into the file `path`, since perf 6.1 prints
 * those; `depth` is what its PMU says of branch records, if it does.
 */
export function lbrRecording(
  path: string,
  samples: readonly LbrSample[],
  depth?: number,
): Uint8Array {
  const encoder = new RecordEncoder({
    littleEndian: true,
    sampleType: LBR_ATTR.sampleType,
    sampleIdAll: false,
  });
  const mapping = { pid: PID, tid: PID, address: MAPPED, fileOffset: MAPPED, length: 0x10000n };
  const caps = new ByteWriter().u32(1);
  writeString(caps, 'branches');
  writeString(caps, String(depth));
  return perfDataFile({
    attrs: [{ attr: LBR_ATTR, ids: [ID] }],
    records: [
      encoder.comm({ pid: PID, tid: PID, comm: 'drawn' }),
      encoder.mmap({ ...mapping, filename: path }),
      ...samples.map((sample, i) => lbrSample(sample, 1000 + i)),
    ],
    features: depth === undefined ? [] : [[FEATURE.CPU_PMU_CAPS, caps.finish()]],
  });
}

/** Addresses of a program's functions, as nm lists them; code lies in the file where it is mapped. */
export function functionsOf(path: string): ReadonlyMap<string, number> {
  const elf = parseElf(memorySource(readFileSync(path)), new Diagnostics());
  const code = elf?.programHeaders.find((header) => header.type === 1 && (header.flags & 1) !== 0);
  if (code === undefined) throw new Error(`${path} has no code`);
  const lines = execFileSync('nm', [path], { encoding: 'utf8' }).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, address, name] = /^([0-9a-f]+) [tT] (\S+)$/.exec(line) ?? [];
      if (address === undefined || name === undefined) return [];
      return [[name, Number.parseInt(address, 16) - code.address + code.offset] as const];
    }),
  );
}
