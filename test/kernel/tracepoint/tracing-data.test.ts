import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { encodeTracingData } from '../../../src/formats/perf-data/encode-tracing-data.ts';
import { TracepointFormats } from '../../../src/kernel/tracepoint/tracepoint-formats.ts';
import { parseTracingData } from '../../../src/kernel/tracepoint/tracing-data.ts';

const formats = [
  { system: 'sched', text: 'name: sched_switch\nID: 316\nformat:\n\nprint fmt: "one"\n' },
  { system: 'sched', text: 'name: sched_wakeup\nID: 318\nformat:\n\nprint fmt: "two"\n' },
  { system: 'irq', text: 'name: softirq_entry\nID: 143\nformat:\n\nprint fmt: "three"\n' },
];

function encoded(littleEndian: boolean, longSize: number): Uint8Array {
  return encodeTracingData({
    headerPage: '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n',
    headerEvent: '# compressed entry header\n',
    formats,
    pageSize: 65536,
    longSize,
    littleEndian,
  });
}

describe('parseTracingData', () => {
  test.each([
    [true, 8],
    [false, 8],
    [true, 4],
    [false, 4],
  ])('tracing data: little endian %s, longs of %i bytes', (littleEndian, longSize) => {
    expect(parseTracingData(encoded(littleEndian, longSize))).toEqual({
      version: '0.6',
      littleEndian,
      longSize,
      pageSize: 65536,
      headerPage: '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n',
      headerEvent: '# compressed entry header\n',
      formats,
      kallsyms: new Uint8Array(0),
      printkFormats: '',
      savedCmdlines: '',
      cutAt: null,
    });
  });

  test('tracing data of version 0.5 has no command lines', () => {
    const bytes = encoded(true, 8);
    const versionAt = Buffer.from(bytes).indexOf('0.6');
    bytes[versionAt + 2] = 0x35;
    const old = parseTracingData(bytes.subarray(0, bytes.length - 8));
    expect([old?.version, old?.cutAt, old?.formats.length]).toEqual(['0.5', null, 3]);
  });

  test('truncated tracing data gives its complete parts and reports the cut', () => {
    const bytes = encoded(true, 8);
    let most = 0;
    for (let length = 0; length < bytes.length; length++) {
      const parts = parseTracingData(bytes.subarray(0, length));
      if (parts === null) continue;
      expect(parts.cutAt).not.toBeNull();
      expect(parts.formats).toEqual(formats.slice(0, parts.formats.length));
      expect(parts.formats.length).toBeGreaterThanOrEqual(most);
      most = parts.formats.length;
    }
    expect(most).toBe(3);
  });

  test('bytes that are not tracing data are refused', () => {
    expect(parseTracingData(new Uint8Array(0))).toBeNull();
    expect(parseTracingData(new Uint8Array(4096))).toBeNull();
  });
});

describe('TracepointFormats', () => {
  test('a tracepoint format is found by id; an unknown id gives null', () => {
    const all = TracepointFormats.parse(encoded(true, 8))!;
    expect(all.of(318)?.name).toBe('sched_wakeup');
    expect(all.of(143)?.system).toBe('irq');
    expect(all.of(1)).toBeNull();
    expect([...all].map(({ name }) => name)).toEqual([
      'sched_switch',
      'sched_wakeup',
      'softirq_entry',
    ]);
  });

  test("a sample's format is the one on which its data and its attr agree", () => {
    const all = TracepointFormats.parse(encoded(false, 8))!;
    const view = new DataView(new ArrayBuffer(8));
    view.setUint16(0, 318, false);
    expect(all.ofSample(view, 0, 8, 318)?.name).toBe('sched_wakeup');
    expect(all.ofSample(view, 0, 8, 316)).toBeNull();
    expect(all.ofSample(view, 0, 1, 318)).toBeNull();
    expect(all.ofSample(view, 7, 8, 318)).toBeNull();
  });

  test('damaged tracepoint formats are counted', () => {
    const diagnostics = new Diagnostics();
    const bytes = encoded(true, 8);
    expect(TracepointFormats.parse(new Uint8Array(64), { diagnostics })).toBeNull();
    TracepointFormats.parse(bytes.subarray(0, bytes.length - 10), { diagnostics });
    new TracepointFormats(
      { formats: [{ system: 'x', text: 'nothing' }], longSize: 8, littleEndian: true },
      { diagnostics },
    );
    expect(diagnostics.entries().map(({ code }) => code)).toEqual([
      'tracing-data-malformed',
      'tracing-data-cut',
      'tracepoint-format-malformed',
    ]);
  });

  test('tracepoint samples without a print fmt are counted', () => {
    const diagnostics = new Diagnostics();
    const text = 'name: x\nID: 5\nformat:\n\nprint fmt: "%u", jiffies_to_msecs(1)\n';
    const all = new TracepointFormats(
      { formats: [{ system: 'jbd2', text }], longSize: 8, littleEndian: true },
      { diagnostics },
    );
    const view = new DataView(new ArrayBuffer(8));
    view.setUint16(0, 5, true);
    expect(all.ofSample(view, 0, 8, 6)).toBeNull();
    view.setUint16(0, 6, true);
    expect(all.ofSample(view, 0, 8, 6)).toBeNull();
    all.of(5)!.text(view, 0, 8, true);
    all.of(5)!.text(view, 0, 8, true);
    all.countFallbacks();
    expect(diagnostics.entries()).toEqual([
      { code: 'tracepoint-of-other-event', count: 1, detail: '6' },
      { code: 'tracepoint-format-missing', count: 1, detail: '6' },
      {
        code: 'tracepoint-text-not-evaluated',
        count: 2,
        detail: 'jbd2:x: jiffies_to_msecs()',
      },
    ]);
  });
});
