// Recordings of one kind of record, as many as fit: what each of them costs its reader.

import { ByteWriter } from '../../src/base/byte-writer.ts';
import { type AttrFields, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { below, type Random } from '../fuzz/mutate-bytes.ts';
import { perfDataFile } from '../helpers/record-builder.ts';
import type { Shape } from './shape.ts';

const { IP, TID, TIME, ID, CPU, PERIOD, CALLCHAIN, ADDR, RAW, STREAM_ID } = PERF_SAMPLE;
const USER = 2;
const MAPPED_AT = 0x7f0000000000;
const PAGE = 4096;

const encoder = new RecordEncoder({
  littleEndian: true,
  sampleType: IP | TID | TIME,
  sampleIdAll: false,
});

/** Appends a record with the bytes that `body` writes. */
export function put(
  out: ByteWriter,
  type: number,
  misc: number,
  body: (out: ByteWriter) => void = () => {},
): void {
  const start = out.length;
  out.u32(type).u16(misc).u16(0);
  body(out);
  out.patchU16(start + 6, out.length - start);
}

/** Writes what `next` writes until there are `bytes` of it. */
export function filled(bytes: number, next: (out: ByteWriter, index: number) => void): Uint8Array {
  const out = new ByteWriter();
  for (let index = 0; out.length < bytes; index++) next(out, index);
  return out.finish();
}

export function fileOf(
  records: Uint8Array,
  attr: AttrFields = { sampleType: IP | TID | TIME },
): Uint8Array {
  return perfDataFile({
    attrs: [{ attr: newAttr({ samplePeriod: 1000, ...attr }), ids: [1] }],
    records: [records],
  });
}

function mmap(index: number, random: Random, pid = 10): Uint8Array {
  return encoder.mmap({
    pid,
    tid: pid,
    address: BigInt(MAPPED_AT + below(random, 2 ** 24) * PAGE),
    length: BigInt(PAGE * (1 + below(random, 64))),
    fileOffset: 0n,
    filename: index % 2 === 0 ? `/lib/${index}.so` : '//anon',
  });
}

/** `ip` of sample `index`: few functions, or another place each time. */
function address(index: number, random: Random, areFew: boolean): bigint {
  return BigInt(MAPPED_AT + (areFew ? index % 7 : below(random, 2 ** 40)));
}

function samples(areFew: boolean, timeOf = (index: number): number => index): Shape['make'] {
  return (random, bytes) =>
    fileOf(
      filled(bytes, (out, index) =>
        put(out, PERF_RECORD.SAMPLE, USER, () =>
          out
            .u64(address(index, random, areFew))
            .u32(10)
            .u32(10)
            .u64(timeOf(index)),
        ),
      ),
    );
}

/** Samples with callchains of `depth` frames that are all different, or all the same. */
function chains(depth: number, areSame: boolean): Shape['make'] {
  return (random, bytes) =>
    fileOf(
      filled(bytes, (out, index) =>
        put(out, PERF_RECORD.SAMPLE, USER, () => {
          out.u64(MAPPED_AT).u32(10).u32(10).u64(index).u64(depth);
          for (let i = 0; i < depth; i++) {
            out.u64(MAPPED_AT + (areSame ? i : below(random, 2 ** 40)));
          }
        }),
      ),
      { sampleType: IP | TID | TIME | CALLCHAIN },
    );
}

const ALL_FIELDS = IP | TID | TIME | ID | CPU | PERIOD | ADDR | STREAM_ID | RAW;

export const recordingShapes: readonly Shape[] = [
  {
    name: 'records of 8 bytes',
    make: (random, bytes) => {
      const types = [PERF_RECORD.FINISHED_ROUND, 0, 63, 1000, PERF_RECORD.SAMPLE, 12, 81];
      const type = types[below(random, types.length)];
      return fileOf(
        filled(bytes, (out) => put(out, type, 0)),
        { sampleType: 0 },
      );
    },
  },
  { name: 'samples of few functions', make: samples(true) },
  { name: 'samples of other places each', make: samples(false) },
  {
    name: 'samples with an address alone',
    make: (_random, bytes) =>
      fileOf(
        filled(bytes, (out, i) =>
          put(out, PERF_RECORD.SAMPLE, USER, () => out.u64(MAPPED_AT + (i % 9))),
        ),
        { sampleType: IP },
      ),
  },
  {
    name: 'samples of other threads each',
    make: (random, bytes) =>
      fileOf(
        filled(bytes, (out, index) =>
          put(out, PERF_RECORD.SAMPLE, USER, () =>
            out
              .u64(address(index, random, true))
              .u32(index)
              .u32(index)
              .u64(index),
          ),
        ),
      ),
  },
  {
    name: 'samples of other streams each',
    make: (random, bytes) =>
      fileOf(
        filled(bytes, (out, index) =>
          put(out, PERF_RECORD.SAMPLE, USER, () => {
            out
              .u64(address(index, random, true))
              .u32(10)
              .u32(10)
              .u64(index)
              .u64(0);
            out
              .u64(1)
              .u64(index)
              .u32(index & 1023)
              .u32(0)
              .u64(1 + (index % 100))
              .u32(4)
              .u32(0);
          }),
        ),
        { sampleType: ALL_FIELDS, flags: { freq: true } },
      ),
  },
  { name: 'samples back in time', make: samples(true, (index) => 2 ** 40 - index) },
  { name: 'deep callchains, all the same', make: chains(8000, true) },
  { name: 'deep callchains, all different', make: chains(8000, false) },
  { name: 'short callchains, all different', make: chains(12, false) },
  {
    name: 'mappings of one process',
    make: (random, bytes) =>
      fileOf(filled(bytes, (out, index) => void out.bytes(mmap(index, random)))),
  },
  {
    name: 'mappings on both sides of forks',
    make: (random, bytes) =>
      fileOf(
        filled(bytes, (out, index) => {
          if (out.length < bytes / 2) {
            out.bytes(mmap(index, random));
            return;
          }
          const pid = 1000 + index;
          out.bytes(encoder.fork({ pid, parentPid: 10, tid: pid, parentTid: 10 }, {}));
          out.bytes(mmap(index, random, index % 2 === 0 ? pid : 10));
        }),
      ),
  },
  {
    name: 'processes that fork in a row',
    make: (random, bytes) =>
      fileOf(
        filled(bytes, (out, index) => {
          const pid = 10 + index;
          out.bytes(mmap(index, random, pid));
          out.bytes(
            encoder.fork({ pid: pid + 1, parentPid: pid, tid: pid + 1, parentTid: pid }, {}),
          );
        }),
      ),
  },
  {
    name: 'names of threads',
    make: (_random, bytes) =>
      fileOf(
        filled(bytes, (out, index) => {
          out.bytes(encoder.comm({ pid: index % 5000, tid: index, comm: `comm-${index}` }, {}));
        }),
      ),
  },
  {
    name: 'long names of threads',
    make: (_random, bytes) =>
      fileOf(
        filled(bytes, (out, index) => {
          out.bytes(encoder.comm({ pid: 10, tid: 10, comm: `${index}`.repeat(6000) }, {}));
        }),
      ),
  },
  {
    name: 'code that the kernel loads',
    make: (random, bytes) =>
      fileOf(
        filled(bytes, (out, index) =>
          put(out, PERF_RECORD.KSYMBOL, 0, () => {
            out.u64(BigInt.asUintN(64, -(2n ** 40n) + BigInt(below(random, 2 ** 36)))).u32(PAGE);
            out.u16(1).u16(0).text(`bpf_prog_${index}`).align(8);
          }),
        ),
      ),
  },
  {
    name: 'losses, throttles and switches',
    make: (_random, bytes) =>
      fileOf(
        filled(bytes, (out, index) => {
          const end = () => out.u32(10).u32(10).u64(index).u64(1);
          if (index % 4 === 0)
            put(out, PERF_RECORD.LOST, 0, () => end && out.u64(1).u64(5) && end());
          else if (index % 4 === 1) {
            put(out, PERF_RECORD.THROTTLE, 0, () => out.u64(index).u64(1).u64(1) && end());
          } else put(out, PERF_RECORD.SWITCH, index % 4 === 2 ? 0x2000 : 0, end);
        }),
        { sampleType: TID | TIME | ID, flags: { sampleIdAll: true, contextSwitch: true } },
      ),
  },
];
