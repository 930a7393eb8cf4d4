// Recordings that are small and unpack to much: compressed records, attachments.

import { deflateSync } from 'node:zlib';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { encodeMapLog } from '../../src/code/jit/map-log.ts';
import { type Attachment, encodeAppendix } from '../../src/formats/perf-data/appendix.ts';
import { encodePipeAppendix } from '../../src/formats/perf-data/pipe-appendix.ts';
import { PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import { below, pick, type Random } from '../fuzz/mutate-bytes.ts';
import { concat, record } from '../helpers/record-builder.ts';
import {
  zstdFrameHeader,
  zstdMatchBlock,
  zstdRawBlock,
  zstdRunBlock,
} from '../helpers/zstd-stream.ts';
import { fileOf, filled, put } from './recording-shapes.ts';
import type { Shape } from './shape.ts';

const BLOCK = 128 * 1024;
const MATCH = 131_071;
const USER = 2;
const CODE_AT = 0x7f0000000000;

/** Samples as the bytes of them, one after the other, a power of two in size. */
function sampleBytes(random: Random, bytes: number): Uint8Array {
  return filled(bytes, (out) =>
    put(out, PERF_RECORD.SAMPLE, USER, () =>
      out
        .u64(CODE_AT + below(random, 64))
        .u32(10)
        .u32(10)
        .u64(below(random, 2 ** 30)),
    ),
  );
}

/** A stream as COMPRESSED records, cut anywhere. */
function compressed(stream: Uint8Array, random: Random): Uint8Array {
  const out = new ByteWriter();
  const largest = pick(random, [16, 200, 4000, 65_000]);
  for (let at = 0; at < stream.length; ) {
    const piece = stream.subarray(at, at + 1 + below(random, largest));
    put(out, PERF_RECORD.COMPRESSED, 0, () => out.bytes(piece));
    at += piece.length;
  }
  return out.finish();
}

/** A stream that unpacks to `bytes`: `seed`, then itself again and again. */
function repeated(seed: Uint8Array, bytes: number): Uint8Array {
  const out = new ByteWriter().bytes(zstdFrameHeader()).bytes(zstdRawBlock(seed));
  const match = zstdMatchBlock(seed.length, MATCH);
  for (let unpacked = seed.length; unpacked < bytes; unpacked += MATCH) out.bytes(match);
  return out.finish();
}

function raw(bytes: Uint8Array): Uint8Array {
  const out = new ByteWriter().bytes(zstdFrameHeader());
  for (let at = 0; at < bytes.length; at += BLOCK) {
    out.bytes(zstdRawBlock(bytes.subarray(at, at + BLOCK)));
  }
  return out.finish();
}

function bomb(seed: (random: Random) => Uint8Array, times: number): Shape['make'] {
  return (random, bytes) => fileOf(compressed(repeated(seed(random), bytes * times), random));
}

/** Names of attachments that are read, with what makes each of them larger than its size. */
function attachments(random: Random, count: number, bytes: number): Attachment[] {
  return Array.from({ length: count }, (_unused, index) => {
    const kind = pick(random, ['perf-map', 'node-notes', 'provenance', 'other']);
    const text = textOf(kind, random);
    const whole = Buffer.alloc(bytes, text);
    const isLog = kind === 'perf-map' && random() < 0.8;
    const content = isLog
      ? Buffer.concat(encodeMapLog([{ fromNs: 0n, toNs: 1n, isRestart: false, lines: whole }]))
      : whole;
    const unpackedSize = random() < 0.8 ? content.length : pick(random, [0, 2 ** 31, 2 ** 52]);
    const isPacked = random() < 0.9;
    return {
      name: kind === 'provenance' ? kind : `${kind}/${10 + index}`,
      packing: isPacked ? 'deflate' : 'none',
      unpackedSize,
      bytes: isPacked ? deflateSync(content, { level: 1 }) : content,
    } as Attachment;
  });
}

function textOf(kind: string, random: Random): string {
  if (kind === 'perf-map') {
    return pick(random, [
      '7f0000000000 10 f\n',
      '7f0000000000 10 Function:~a /app.js:1\n7f0000000010 10 Function:*b /app.js:2\n',
      '\n',
      'x',
      `7f0000000000 fffffffff ${'g'.repeat(3000)}\n`,
    ]);
  }
  return pick(random, [
    '\n',
    '{"kind":"worker","tid":10,"number":1,"script":"a","name":"b"}\n',
    '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[',
    `{"kind":"sourceMap","url":"/app.js","map":{"version":3,"sources":["a"],"names":[],"mappings":"${'AAAA;'.repeat(500)}"}}\n`,
    '{"kind":"process","pid":10,"node":"v20","cwd":"/"}\n',
  ]);
}

/** Samples of as many processes as have attachments: those of others are not asked for. */
function samplesOf(processes: number): Uint8Array {
  const out = new ByteWriter();
  for (let pid = 10; pid < 10 + processes; pid++) {
    const mapping = new ByteWriter().u32(pid).u32(pid).u64(CODE_AT).u64(65536).u64(0);
    put(out, PERF_RECORD.MMAP, USER, () => out.bytes(mapping.finish()).text('//anon\0\0'));
    put(out, PERF_RECORD.SAMPLE, USER, () =>
      out
        .u64(CODE_AT + 4)
        .u32(pid)
        .u32(pid)
        .u64(pid),
    );
  }
  return out.finish();
}

export const packedShapes: readonly Shape[] = [
  {
    name: 'compressed samples that repeat',
    make: bomb((random) => sampleBytes(random, 65_536), 40),
  },
  {
    name: 'compressed records of 8 bytes that repeat',
    make: bomb(() => filled(65_536, (out) => put(out, PERF_RECORD.FINISHED_ROUND, 0)), 40),
  },
  {
    name: 'compressed zeros',
    make: (random, bytes) => {
      const out = new ByteWriter().bytes(zstdFrameHeader());
      for (let i = 0; i < bytes / 4; i++) out.bytes(zstdRunBlock(0, BLOCK));
      return fileOf(compressed(out.finish(), random));
    },
  },
  {
    name: 'compressed records in compressed records',
    make: (random, bytes) => {
      let inner = sampleBytes(random, Math.min(bytes, 2 ** 20));
      for (let depth = 0; depth < 1 + below(random, 12); depth++) {
        inner = compressed(raw(inner), random);
      }
      return fileOf(inner);
    },
  },
  {
    name: 'compressed records in a bomb',
    make: bomb(
      (random) => compressed(raw(sampleBytes(random, 16_384)), random).subarray(0, 65_536),
      20,
    ),
  },
  {
    name: 'frames one after the other',
    make: (random, bytes) => {
      const frame = concat(
        zstdFrameHeader({ windowExponent: below(random, 17) }),
        // A last block without bytes.
        Uint8Array.of(1, 0, 0),
      );
      return fileOf(
        compressed(
          filled(bytes, (out) => void out.bytes(frame)),
          random,
        ),
      );
    },
  },
  {
    name: 'compressed samples that do not repeat',
    make: (random, bytes) => fileOf(compressed(raw(sampleBytes(random, bytes)), random)),
  },
  {
    name: 'attachments that unpack to much',
    make: (random, bytes) => {
      const count = pick(random, [1, 2, 20, 400]);
      const each = Math.min(300 * 2 ** 20, Math.ceil((bytes * 100) / count));
      const stored = attachments(random, count, each);
      return concat(fileOf(samplesOf(count)), ...encodeAppendix(stored));
    },
  },
  {
    name: 'attachments of many processes',
    make: (random, bytes) => {
      const stored = attachments(random, 50, 5000);
      const count = Math.min(60_000, Math.ceil(bytes / 300));
      const all = Array.from({ length: count }, (_unused, index) => {
        const one = stored[index % stored.length];
        return { ...one, name: one.name.replace(/\d+$/, String(10 + index)) };
      });
      return concat(fileOf(samplesOf(count)), ...encodeAppendix(all));
    },
  },
  {
    name: 'attachments in a pipe',
    make: (random, bytes) => {
      const head = new ByteWriter().text('PERFILE2').u64(16).finish();
      const parts = encodePipeAppendix(attachments(random, 3, bytes), 'perf-ts 0.1.0');
      const attr = record(64, 0, (out) =>
        out.u32(1).u32(64).u64(0).u64(1000).u64(7).zeros(32).u64(1),
      );
      return concat(head, attr, samplesOf(3), ...parts);
    },
  },
];
