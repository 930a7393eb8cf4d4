import { describe, expect, it } from 'vitest';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import { KERNEL_MAP_START, KERNEL_MARKER } from '../../src/rewrite/kernel-marker.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';
import { builtRecordings } from '../helpers/recordings.ts';
import { open, recordsOf, rewritten } from './helpers.ts';

const { IP, TID, TIME, ADDR, CPU, CALLCHAIN, RAW, REGS_USER, STACK_USER, PHYS_ADDR } = PERF_SAMPLE;
const KERNEL_MISC = 1;
const USER_MISC = 2;
const KERNEL_IP = 0xffffffff81234567n;
const KERNEL_CONTEXT = -128n;
const USER_CONTEXT = -512n;

/** Types of records that a file has in its header instead. */
const OF_PIPES = new Set<number>([
  PERF_RECORD.HEADER_ATTR,
  PERF_RECORD.EVENT_UPDATE,
  PERF_RECORD.HEADER_FEATURE,
  PERF_RECORD.HEADER_TRACING_DATA,
  PERF_RECORD.COMPRESSED,
  PERF_RECORD.COMPRESSED2,
]);

describe('a recording written again without changes', () => {
  it.each(builtRecordings())(
    '%s: has the same records, inflated, in its byte order',
    (_, bytes) => {
      const input = open(bytes);
      const { data, summary } = rewritten(bytes);
      expect(data.littleEndian).toBe(input.littleEndian);
      expect(data.pipe).toBe(false);
      expect(recordsOf(data)).toEqual(recordsOf(input).filter(({ type }) => !OF_PIPES.has(type)));
      expect(data.compressedRecords).toBe(0);
      expect(data.attrs.map(({ ids, name }) => [ids, name])).toEqual(
        input.attrs.map(({ ids, name }) => [ids, name]),
      );
      expect(data.diagnostics.entries()).toEqual([]);
      expect(summary.samplesKept).toBe(summary.samples);
      expect(summary.leftOut).toEqual([]);
    },
  );

  it('rewriting twice gives the same bytes', () => {
    for (const [, bytes] of builtRecordings()) {
      const once = rewritten(bytes).bytes;
      expect(Buffer.from(rewritten(once).bytes).equals(Buffer.from(once))).toBe(true);
    }
  });
});

const dwarf = newAttr({
  samplePeriod: 1000,
  sampleType: IP | TID | TIME | ADDR | CPU | CALLCHAIN | RAW | REGS_USER | STACK_USER | PHYS_ADDR,
  sampleRegsUser: 0b101n,
  sampleStackUser: 16,
  flags: { sampleIdAll: true },
});

type Built = {
  ip: bigint;
  misc: number;
  chain: readonly bigint[];
  tid?: number;
  time?: number;
  cpu?: number;
};

function dwarfSample({ ip, misc, chain, tid = 11, time = 100, cpu = 3 }: Built, little: boolean) {
  return record(
    PERF_RECORD.SAMPLE,
    misc,
    (out) => {
      out
        .u64(ip)
        .u32(10)
        .u32(tid)
        .u64(time)
        .u64(KERNEL_IP + 1n)
        .u32(cpu)
        .u32(0);
      out.u64(chain.length);
      for (const entry of chain) out.u64(entry);
      out.u32(12).u32(7).u64(0x1234);
      out.u64(2).u64(0x111).u64(0x222);
      out.u64(16).u64(0xaaaa).u64(0xbbbb).u64(8);
      out.u64(0x77000);
    },
    little,
  );
}

function dwarfFile(samples: readonly Built[], little = true): Uint8Array {
  const encoder = new RecordEncoder({
    littleEndian: little,
    sampleType: dwarf.sampleType,
    sampleIdAll: true,
  });
  return perfDataFile({
    littleEndian: little,
    attrs: [{ attr: dwarf, ids: [5] }],
    records: [
      encoder.mmap(
        {
          pid: -1,
          tid: 0,
          cpuMode: KERNEL_MISC,
          address: 0xffffffff81000000n,
          length: 0x1000000,
          fileOffset: 0xffffffff81000000n,
          filename: '[kernel.kallsyms]_text',
        },
        { time: 0 },
      ),
      encoder.mmap(
        {
          pid: -1,
          tid: 0,
          cpuMode: KERNEL_MISC,
          address: 0xffffffffc0000000n,
          length: 0x1000,
          fileOffset: 0,
          filename: '[nf_tables]',
        },
        { time: 0 },
      ),
      encoder.comm({ pid: 10, tid: 11, comm: 'secretd' }, { time: 1, cpu: 3 }),
      encoder.fork({ pid: 10, parentPid: 10, tid: 12, parentTid: 11 }, { time: 2, cpu: 3 }),
      encoder.comm({ pid: 10, tid: 12, comm: 'worker' }, { time: 150, cpu: 3 }),
      encoder.mmap(
        {
          pid: 10,
          tid: 11,
          address: 0x400000,
          length: 0x1000,
          fileOffset: 0,
          filename: '/home/alice/secretd',
        },
        { time: 3 },
      ),
      ...samples.map((sample) => dwarfSample(sample, little)),
      record(
        PERF_RECORD.LOST,
        0,
        (out) => out.u64(5).u64(9).u32(10).u32(11).u64(500).u32(3).u32(0),
        little,
      ),
    ],
    features: [[FEATURE.HOSTNAME, sizedText('alice-laptop', little)]],
  });
}

function sizedText(text: string, little: boolean): Uint8Array {
  return record(0, 0, (out) => out.u32(16).text(text).u8(0).align(4), little).slice(8, 8 + 20);
}

const STACK = [KERNEL_CONTEXT, KERNEL_IP, KERNEL_IP + 0x10n, USER_CONTEXT, 0x400123n, 0x400456n];

function samplesOf(
  bytes: Uint8Array,
): { ip: number; addr: number; chain: number[]; view: SampleView }[] {
  const data = open(bytes);
  const decoded: ReturnType<typeof samplesOf> = [];
  data.walk(
    {
      record(record) {
        if (record.type !== PERF_RECORD.SAMPLE) return;
        const sample = new SampleView(data.startTime);
        expect(decodeSample(record, data.attrs[0].info, sample)).toBe(true);
        const chain = [...sample.callchain.subarray(0, sample.callchainLength)];
        decoded.push({ ip: sample.ip, addr: sample.addr, chain, view: sample });
      },
    },
    1 << 20,
  );
  return decoded;
}

describe.each([true, false])('samples of a recording (little-endian: %s)', (little) => {
  const kernelSample = { ip: KERNEL_IP, misc: KERNEL_MISC, chain: STACK };
  const userSample = { ip: 0x400123n, misc: USER_MISC, chain: [USER_CONTEXT, 0x400123n] };
  const bytes = dwarfFile([kernelSample, userSample], little);

  it('--drop-stacks removes registers and stack dumps only', () => {
    const { data, bytes: out } = rewritten(bytes, { dropStacks: true });
    const { attr } = data.attrs[0];
    expect(attr.sampleType).toBe(dwarf.sampleType - REGS_USER - STACK_USER);
    expect([attr.sampleRegsUser, attr.sampleStackUser]).toEqual([0n, 0]);
    const before = samplesOf(bytes);
    const after = samplesOf(out);
    expect(after.map(({ ip, chain }) => [ip, chain])).toEqual(
      before.map(({ ip, chain }) => [ip, chain]),
    );
    expect(after.map(({ view }) => [view.physAddr, view.rawLength, view.stackOffset])).toEqual([
      [0x77000, 12, -1],
      [0x77000, 12, -1],
    ]);
    // struct regs: abi and 2 registers; struct stack: size, 16 bytes, dyn_size
    expect(bytes.length - out.length).toBeGreaterThanOrEqual(2 * (24 + 32));
  });

  it('samples have one marker in place of each kernel context, and no address of the kernel', () => {
    const { bytes: out, data } = rewritten(bytes, { stripKernel: true });
    const marker = Number(BigInt.asIntN(64, KERNEL_MARKER));
    expect(samplesOf(out).map(({ ip, addr, chain }) => ({ ip, addr, chain }))).toEqual([
      { ip: marker, addr: marker, chain: [-128, marker, -512, 0x400123, 0x400456] },
      { ip: 0x400123, addr: marker, chain: [-512, 0x400123] },
    ]);
    expect(data.attrs[0].attr.sampleType & PHYS_ADDR).toBe(0);
    const order = little ? 'readBigUInt64LE' : 'readBigUInt64BE';
    const words = recordsOf(data).flatMap(({ hex }) => {
      const bytes = Buffer.from(hex, 'hex');
      return Array.from({ length: bytes.length >> 3 }, (_, i) => bytes[order](8 * i));
    });
    // pid −1 and tid 0 of the kernel's map, on a big-endian machine.
    const nobody = 0xffffffff00000000n;
    const isKernel = (word: bigint) =>
      word >= 0xffff800000000000n && word < 0xfffffffffffff001n && word !== nobody;
    expect([...new Set(words.filter(isKernel))].sort()).toEqual([KERNEL_MAP_START, KERNEL_MARKER]);
    expect(data.attrs.length).toBe(1);
  });

  it('--anonymize replaces every name, equal names by equal labels', () => {
    const { bytes: out, data } = rewritten(bytes, { anonymize: true });
    const text = Buffer.from(out).toString('latin1');
    for (const name of ['secretd', 'worker', 'alice', 'nf_tables'])
      expect(text).not.toContain(name);
    expect(text).toContain('[kernel.kallsyms]_text');
    expect(data.features.hostname).toMatch(/^host-[0-9a-f]{12}$/);
    expect(Buffer.from(rewritten(bytes, { anonymize: true }).bytes).equals(Buffer.from(out))).toBe(
      true,
    );
    const salted = rewritten(bytes, { anonymize: true, salt: 'x' });
    expect(salted.data.features.hostname).not.toBe(data.features.hostname);
  });

  it('a selection by time keeps all losses', () => {
    const times = [100, 200, 300, 400].map((time) => ({ ...userSample, time }));
    const {
      data,
      summary,
      bytes: out,
    } = rewritten(dwarfFile(times, little), {
      select: { time: '0.000000200,0.000000300' },
    });
    expect(samplesOf(out).map(({ view }) => view.timeNs + Number(data.startTime.low))).toEqual([
      200, 300,
    ]);
    expect([summary.samples, summary.samplesKept]).toEqual([4, 2]);
    expect(recordsOf(data).filter(({ type }) => type === PERF_RECORD.LOST).length).toBe(1);
    expect(recordsOf(data).filter(({ type }) => type === PERF_RECORD.MMAP).length).toBe(3);
  });

  it('selected samples are those of a thread, a CPU, or of threads with a name at that time', () => {
    const samples = [
      { ...userSample, tid: 11, time: 100, cpu: 1 },
      { ...userSample, tid: 12, time: 120, cpu: 2 },
      { ...userSample, tid: 12, time: 200, cpu: 1 },
    ];
    const file = dwarfFile(samples, little);
    const kept = (select: object) =>
      samplesOf(rewritten(file, { select }).bytes).map(({ view }) => [view.tid, view.cpu]);
    expect(kept({ tids: new Set([12]) })).toEqual([
      [12, 2],
      [12, 1],
    ]);
    expect(kept({ cpus: new Set([1]) })).toEqual([
      [11, 1],
      [12, 1],
    ]);
    expect(kept({ pids: new Set([99]) })).toEqual([]);
    // The second sample is from before thread 12 got a name of its own.
    expect(kept({ comms: new Set(['secretd']) })).toEqual([
      [11, 1],
      [12, 2],
    ]);
    expect(kept({ comms: new Set(['worker']) })).toEqual([[12, 1]]);
  });
});

describe('impossible rewrites', () => {
  it('impossible rewrites are refused with the option and advice', () => {
    const attr = newAttr({ sampleType: IP, samplePeriod: 1 });
    const file = perfDataFile({ attrs: [{ attr, ids: [] }], records: [] });
    expect(() => rewritten(file, { select: { tids: new Set([1]) } })).toThrow(
      'tids: samples of this recording have no threads',
    );
  });

  it('a truncated recording is rewritten up to the cut', () => {
    const bytes = dwarfFile([{ ip: 1n, misc: USER_MISC, chain: [] }]);
    const cut = bytes.subarray(0, bytes.length - 100);
    const { summary, data } = rewritten(cut);
    expect(summary.truncatedAt).not.toBeNull();
    expect(data.truncatedAt).toBe(-1);
    expect(recordsOf(data).length).toBe(recordsOf(open(cut)).length);
  });
});
