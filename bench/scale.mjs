// Writes a recording with a chosen number of samples: those of another one, again and again, each pass
// later by the length of the recording. Stacks, threads and mappings stay what they are.
//   node bench/scale.mjs IN OUT SAMPLES
// IN is a file of perf-ts or perf with one event, whose samples have IP, TID and TIME.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const HEADER_BYTES = 104;
/** `PERF_RECORD_SAMPLE`, and what says where one round ends. */
const SAMPLE = 9;
const FINISHED_ROUND = 68;
/** What a program's end writes, which would end it in the first pass: EXIT, and READ, whose counts are of one pass. */
const ENDS = [4, 8];
const IDENTIFIER = 1 << 16;
/** `sample_type` bits whose fields stand in front of the time, 8 bytes each. */
const BEFORE_TIME = [IDENTIFIER, 1 << 0, 1 << 1];

/** Writes `wanted` samples of the recording `from` to the file `to`. */
export function scaleRecording(from, to, wanted) {
  const input = readFileSync(from);
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  const u64 = (at) => Number(view.getBigUint64(at, true));
  const dataStart = u64(40);
  const dataEnd = dataStart + u64(48);
  const sampleType = u64(u64(24) + 24);
  const timeAt = 8 + 8 * BEFORE_TIME.filter((bit) => (sampleType & bit) !== 0).length;
  const out = openSync(to, 'w');
  let written = writeAll(out, input.subarray(0, dataStart));
  const length = duration(view, dataStart, dataEnd, timeAt);
  const copy = Buffer.allocUnsafe(dataEnd - dataStart);
  let samples = 0;
  for (let pass = 0; samples < wanted; pass++) {
    const shift = BigInt(pass) * length;
    let end = 0;
    for (let at = dataStart; at < dataEnd && samples < wanted; at += view.getUint16(at + 6, true)) {
      const type = view.getUint32(at, true);
      if (ENDS.includes(type) || (pass > 0 && type !== SAMPLE && type !== FINISHED_ROUND)) continue;
      const size = view.getUint16(at + 6, true);
      input.copy(copy, end, at, at + size);
      if (type === SAMPLE) {
        samples++;
        const time = copy.readBigUInt64LE(end + timeAt) + shift;
        copy.writeBigUInt64LE(time, end + timeAt);
      }
      end += size;
    }
    written += writeAll(out, copy.subarray(0, end));
  }
  writeSections(out, input, dataEnd, written);
  const dataBytes = Buffer.alloc(8);
  dataBytes.writeBigUInt64LE(BigInt(written - dataStart));
  writeSync(out, dataBytes, 0, 8, 48);
  closeSync(out);
}

/** The feature sections follow the records, their table first: `struct { u64 offset, size; }` for each bit. */
function writeSections(out, input, tableAt, written) {
  const bits = [...input.subarray(72, HEADER_BYTES)].map((byte) => byte.toString(2));
  const count = bits.join('').replaceAll('0', '').length;
  const rest = Buffer.from(input.subarray(tableAt));
  for (let i = 0; i < count; i++) {
    const offset = rest.readBigUInt64LE(16 * i);
    rest.writeBigUInt64LE(offset + BigInt(written - tableAt), 16 * i);
  }
  writeAll(out, rest);
}

/** Nanoseconds from the first sample to the last, and one more. */
function duration(view, start, end, timeAt) {
  let first = null;
  let last = 0n;
  for (let at = start; at < end; at += view.getUint16(at + 6, true)) {
    if (view.getUint32(at, true) !== SAMPLE) continue;
    const time = view.getBigUint64(at + timeAt, true);
    if (first === null || time < first) first = time;
    if (time > last) last = time;
  }
  return last - (first ?? 0n) + 1n;
}

function writeAll(out, bytes) {
  let done = 0;
  while (done < bytes.length) done += writeSync(out, bytes, done);
  return done;
}

if (process.argv[1] === import.meta.filename) {
  const [from, to, samples] = process.argv.slice(2);
  scaleRecording(from, to, Number(samples));
}
