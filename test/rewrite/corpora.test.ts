import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/base/text.ts';
import type { PerfData } from '../../src/formats/perf-data/reader.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import { isContextMarkerAt, isKernelAddressAt } from '../../src/rewrite/kernel-marker.ts';
import { hasCorpora, isFuzzed, perfDataCorpora, readCorpus } from '../helpers/corpora.ts';
import { open, recordsOf, rewritten } from './helpers.ts';

const files = perfDataCorpora()
  .filter((entry) => !isFuzzed(entry))
  .map(({ file }) => file);

/** Records that the output has in its header, or inflated, or not at all (AUX traces). */
const ELSEWHERE = new Set<number>([
  PERF_RECORD.HEADER_ATTR,
  PERF_RECORD.HEADER_EVENT_TYPE,
  PERF_RECORD.HEADER_TRACING_DATA,
  PERF_RECORD.HEADER_BUILD_ID,
  PERF_RECORD.HEADER_FEATURE,
  PERF_RECORD.EVENT_UPDATE,
  PERF_RECORD.COMPRESSED,
  PERF_RECORD.COMPRESSED2,
  PERF_RECORD.AUXTRACE_INFO,
  PERF_RECORD.AUXTRACE,
  PERF_RECORD.AUXTRACE_ERROR,
]);

const isElsewhere = ({ type }: { type: number }) => ELSEWHERE.has(type);

describe.skipIf(!hasCorpora)('recordings of other projects, written again', () => {
  it.each(files.map((file) => [file]))('%s: every record and section is there', (file) => {
    const bytes = readCorpus(file);
    const input = open(bytes);
    const { data } = rewritten(bytes);
    const before = recordsOf(input).filter((record) => !isElsewhere(record));
    expect(recordsOf(data).filter((record) => !isElsewhere(record))).toEqual(before);
    expect(data.attrs.map(({ name, ids }) => [name, ids])).toEqual(
      input.attrs.map(({ name, ids }) => [name, ids]),
    );
    const {
      compression: _,
      directoryVersion: __,
      eventDescriptions: ___,
      ...features
    } = input.features;
    expect(data.features).toMatchObject(features);
  });

  it.each(files.map((file) => [file]))('%s: no code address of the kernel is left', (file) => {
    const { data, summary } = rewritten(readCorpus(file), { stripKernel: true });
    expect(summary.samplesKept).toBe(summary.samples);
    const marker = 'ffffffffbffff000';
    expect([...kernelAddresses(data)].filter((address) => address !== marker)).toEqual([]);
  });

  it.each(files.map((file) => [file]))('%s: no name of a file or thread is left', (file) => {
    const bytes = readCorpus(file);
    const { bytes: output } = rewritten(bytes, { anonymize: true });
    const text = Buffer.from(output).toString('latin1');
    const left = [...namesOf(open(bytes))].filter((name) => text.includes(name));
    expect(left).toEqual([]);
  });
});

/** Addresses of kernel space in ips, data addresses, callchains, branches and maps, as hex. */
function kernelAddresses(data: PerfData): Set<string> {
  const { littleEndian } = data;
  const machine = { littleEndian, is32Bit: false, overlap: false };
  const found = new Set<string>();
  const look = (view: DataView, at: number): void => {
    if (!isKernelAddressAt(view, at, machine) || isContextMarkerAt(view, at, littleEndian)) return;
    found.add(view.getBigUint64(at, littleEndian).toString(16));
  };
  const sample = new SampleView(data.startTime);
  data.walk(
    {
      record(record) {
        const { view, type } = record;
        if (type !== PERF_RECORD.SAMPLE) return;
        const event = data.lookup.attrIndexOf(record);
        const { info } = data.attrs[event];
        expect(decodeSample(record, info, sample)).toBe(true);
        for (const address of [sample.ip, sample.addr]) {
          if (address < -4095) found.add(BigInt.asUintN(64, BigInt(address)).toString(16));
        }
        for (let i = 0; i < sample.callchainLength; i++) {
          const address = sample.callchain[i];
          const isVsyscall = address >= -0xa00000 && address < -0x9ff000;
          if (address < -4095 && !isVsyscall) {
            found.add(BigInt.asUintN(64, BigInt(address)).toString(16));
          }
        }
        for (let i = 0; i < sample.branchCount; i++) {
          look(view, sample.branchOffset + 24 * i);
          look(view, sample.branchOffset + 24 * i + 8);
        }
        expect(info.sampleType & PERF_SAMPLE.REGS_INTR).toBe(0);
      },
    },
    1 << 20,
  );
  return found;
}

const TEXT_AT = new Map<number, number>([
  [PERF_RECORD.MMAP, 40],
  [PERF_RECORD.MMAP2, 72],
  [PERF_RECORD.COMM, 16],
]);

/** Names that are long enough not to be met by chance; those of the kernel aside. */
function namesOf(data: PerfData): Set<string> {
  const names = new Set<string>();
  const { hostname } = data.features;
  if (hostname !== null && hostname.length > 6) names.add(hostname);
  data.walk(
    {
      record(record) {
        const { view, offset, size, type } = record;
        const at = TEXT_AT.get(type);
        if (at === undefined) return;
        const bytes = new Uint8Array(view.buffer, view.byteOffset + offset + at, size - at);
        const name = decodeText(bytes);
        if (name.length > 6 && !/^\[|^\/\/anon|^swapper/.test(name)) names.add(name);
      },
    },
    1 << 20,
  );
  return names;
}
