import { expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { PERF_TYPE } from '../../../src/base/event-type.ts';
import { encodeTracingData } from '../../../src/formats/perf-data/encode-tracing-data.ts';
import type { PerfData } from '../../../src/formats/perf-data/reader.ts';
import { SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { SyscallLog } from '../../../src/read/logs/syscall-log.ts';

const FORMATS = ['enter', 'exit'].map((side, i) => ({
  system: 'raw_syscalls',
  text: [
    `name: sys_${side}`,
    `ID: ${375 + i}`,
    'format:',
    '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;',
    '',
    '\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;',
    '\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;',
    '',
    'print fmt: "%ld", REC->id',
    '',
  ].join('\n'),
}));

function newLog(): SyscallLog {
  const section = encodeTracingData({
    headerPage: '',
    headerEvent: '',
    formats: FORMATS,
    pageSize: 4096,
  });
  const attrOf = (config: bigint) => ({ type: PERF_TYPE.TRACEPOINT, config });
  const data = {
    attrs: [
      { name: 'syscalls', attr: attrOf(375n) },
      { name: 'syscall-bytes', attr: attrOf(376n) },
    ],
    littleEndian: true,
    features: { arch: 'x86_64' },
    sections: { bytes: () => section },
    diagnostics: new Diagnostics(),
  };
  return new SyscallLog(data as unknown as PerfData);
}

/** A record of thread `tid`: call `id`, with `ret` where it ends. */
function sampleOf(tid: number, timeNs: number, id: number, ret = 0): SampleView {
  const sample = new SampleView({ high: 0, low: 0 });
  const raw = new DataView(new ArrayBuffer(24));
  raw.setBigInt64(8, BigInt(id), true);
  raw.setBigInt64(16, BigInt(ret), true);
  return Object.assign(sample, { tid, timeNs, view: raw, rawOffset: 0, rawLength: 24 });
}

const [READ, WRITE, FSYNC, EXIT] = [0, 1, 74, 60];

test('a call lasts from its begin to its end of the same thread, and results of reads and writes are bytes', () => {
  const log = newLog();
  log.begin(0, sampleOf(7, 100, FSYNC));
  log.begin(1, sampleOf(8, 110, WRITE));
  expect(log.end(sampleOf(8, 150, WRITE, 5_000_000_000))).toEqual({
    call: 1,
    bytes: 5_000_000_000,
  });
  log.noteBytes(2, 1);
  expect(log.end(sampleOf(7, 400, FSYNC))).toEqual({ call: 0, bytes: 0 });
  log.begin(3, sampleOf(7, 500, READ));
  expect(log.end(sampleOf(7, 520, READ, -11))).toEqual({ call: 2, bytes: 0 });
  expect(log.end(sampleOf(9, 530, READ, 10))).toBeNull();
  const samples = {
    periodEvents: new Float64Array(4).fill(1),
    stack: Int32Array.of(10, 11, -1, 12),
  };
  const diagnostics = new Diagnostics();
  const { row, label, labels } = log.finish(samples, 600, diagnostics);
  expect([...samples.periodEvents]).toEqual([300, 40, 1, 20]);
  expect([...samples.stack]).toEqual([10, 11, 11, 12]);
  expect([...row].map((at, i) => [at, labels[label[i]]])).toEqual([
    [0, '(kernel: fsync)'],
    [1, '(kernel: write)'],
    [3, '(kernel: read)'],
    [2, '(kernel: write)'],
  ]);
  expect(diagnostics.entries()).toEqual([]);
});

test('a call without an end lasts as long as its thread or the recording, and one whose end was lost has no length', () => {
  const log = newLog();
  log.begin(0, sampleOf(7, 100, EXIT));
  log.endThread(7, 130);
  log.begin(1, sampleOf(8, 100, READ));
  log.begin(2, sampleOf(9, 100, READ));
  log.begin(3, sampleOf(9, 200, FSYNC));
  const samples = { periodEvents: new Float64Array(4).fill(1), stack: new Int32Array(4) };
  const diagnostics = new Diagnostics();
  log.finish(samples, 1000, diagnostics);
  expect([...samples.periodEvents]).toEqual([30, 900, 0, 800]);
  expect(diagnostics.entries()).toMatchObject([{ code: 'call-end-lost', count: 1 }]);
});
