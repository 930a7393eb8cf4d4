// Whole recordings, changed, repeated, and one behind the other.

import { gzipSync } from 'node:zlib';
import { below, mutateBytes, pick, type Random } from '../fuzz/mutate-bytes.ts';
import { mutateRecording } from '../fuzz/mutate-recording.ts';
import { concat } from '../helpers/record-builder.ts';
import type { Shape } from './shape.ts';

const PIPE_HEADER_BYTES = 16;
const DATA_OFFSET_AT = 40;
const DATA_SIZE_AT = 48;

/** The place of a recording's records; null where its header is nonsense. */
function dataOf(bytes: Uint8Array): { offset: number; size: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < PIPE_HEADER_BYTES) return null;
  if (view.getBigUint64(8, true) === 16n) {
    return { offset: PIPE_HEADER_BYTES, size: bytes.length - PIPE_HEADER_BYTES };
  }
  if (bytes.length < 104 || view.getBigUint64(8, true) !== 104n) return null;
  const offset = Number(view.getBigUint64(DATA_OFFSET_AT, true));
  const size = Number(view.getBigUint64(DATA_SIZE_AT, true));
  return offset + size <= bytes.length ? { offset, size } : null;
}

/** The recording with its records again and again, and what is behind them moved along. */
function withRecordsRepeated(bytes: Uint8Array, total: number): Uint8Array {
  const data = dataOf(bytes);
  if (data === null || data.size === 0) return bytes;
  const { offset, size } = data;
  const times = Math.max(1, Math.floor((total - bytes.length) / size));
  const whole = new Uint8Array(bytes.length + (times - 1) * size);
  whole.set(bytes.subarray(0, offset));
  for (let i = 0; i < times; i++)
    whole.set(bytes.subarray(offset, offset + size), offset + i * size);
  whole.set(bytes.subarray(offset + size), offset + times * size);
  const view = new DataView(whole.buffer);
  if (view.getBigUint64(8, true) === 104n) {
    const grown = BigInt((times - 1) * size);
    view.setBigUint64(DATA_SIZE_AT, BigInt(times * size), true);
    moveSections(view, offset + times * size, grown);
  }
  return whole;
}

/** The table of sections begins behind the records; each entry is an offset and a size. */
function moveSections(view: DataView, table: number, by: bigint): void {
  let count = 0;
  for (let at = 72; at < 104; at++) {
    for (let byte = view.getUint8(at); byte > 0; byte &= byte - 1) count++;
  }
  for (let i = 0, at = table; i < count && at + 16 <= view.byteLength; i++, at += 16) {
    view.setBigUint64(at, BigInt.asUintN(64, view.getBigUint64(at, true) + by), true);
  }
}

export function mixedShapes(seeds: readonly Uint8Array[]): readonly Shape[] {
  const one = (random: Random) => pick(random, seeds);
  return [
    {
      name: 'recordings, changed',
      make: (random) => mutateRecording(one(random), one(random), random),
    },
    {
      name: 'recordings, changed often',
      make: (random) => {
        let bytes: Uint8Array = one(random);
        for (let i = 0; i < 1 + below(random, 20); i++)
          bytes = mutateRecording(bytes, one(random), random);
        return bytes;
      },
    },
    {
      name: 'recordings with their records repeated',
      make: (random, bytes) => withRecordsRepeated(one(random), bytes),
    },
    {
      name: 'recordings, changed, with their records repeated',
      make: (random, bytes) => {
        const changed = mutateRecording(one(random), one(random), random);
        return withRecordsRepeated(changed, bytes);
      },
    },
    {
      name: 'recordings behind each other',
      make: (random, bytes) => {
        const parts: Uint8Array[] = [];
        for (let size = 0; size < bytes; ) {
          const part =
            random() < 0.5 ? one(random) : mutateRecording(one(random), one(random), random);
          parts.push(part);
          size += Math.max(64, part.length);
        }
        return concat(...parts);
      },
    },
    {
      name: 'recordings with any bytes changed',
      make: (random) => {
        let bytes: Uint8Array = one(random).slice();
        for (let i = 0; i < 10; i++) bytes = mutateBytes(bytes, one(random), random);
        return bytes;
      },
    },
    { name: 'recordings in gzip', make: (random) => gzipSync(one(random), { level: 1 }) },
  ];
}
