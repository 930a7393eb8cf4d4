import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { PERF_TYPE } from '../../src/base/event-type.ts';
import { encodeTracingData } from '../../src/formats/perf-data/encode-tracing-data.ts';
import { encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { concat, perfDataFile, record } from '../helpers/record-builder.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracepoint-names-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sampleType = PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME;
const attrOf = (type: number, config: bigint) =>
  newAttr({ type, config, samplePeriod: 1, sampleType });
const SWITCH = attrOf(PERF_TYPE.TRACEPOINT, 316n);
const UNKNOWN = attrOf(PERF_TYPE.TRACEPOINT, 999n);
const CYCLES = attrOf(PERF_TYPE.HARDWARE, 316n);

function tracingData(littleEndian: boolean): Uint8Array {
  return encodeTracingData({
    headerPage: '',
    headerEvent: '',
    formats: [
      { system: 'irq', text: 'name: softirq_entry\nID: 143\nformat:\n\nprint fmt: "one"\n' },
      { system: 'sched', text: 'name: sched_switch\nID: 316\nformat:\n\nprint fmt: "two"\n' },
    ],
    pageSize: 4096,
    littleEndian,
  });
}

/** A pipe as perf wrote it before it had EVENT_UPDATE records: attrs, tracing data, no names. */
function pipe(littleEndian: boolean): Uint8Array {
  const data = tracingData(littleEndian);
  const attr = (of: typeof SWITCH, id: number) =>
    record(
      PERF_RECORD.HEADER_ATTR,
      0,
      (out) => out.bytes(encodeAttr(of, littleEndian)).u64(id),
      littleEndian,
    );
  return concat(
    new ByteWriter(littleEndian)
      .text(littleEndian ? 'PERFILE2' : '2ELIFREP')
      .u64(16)
      .finish(),
    attr(SWITCH, 1),
    attr(UNKNOWN, 2),
    attr(CYCLES, 3),
    record(PERF_RECORD.HEADER_TRACING_DATA, 0, (out) => out.u32(data.length), littleEndian),
    data,
  );
}

async function namesIn(bytes: Uint8Array): Promise<string[]> {
  const path = join(folder, 'perf.data');
  writeFileSync(path, bytes);
  const { profile } = await openProfile(path, { kallsyms: '/dev/null', symfs: folder });
  return profile.events.map(({ name }) => name.replace(/:[A-Z]+$/, ''));
}

describe('a tracepoint that no description names', () => {
  test.each([true, false])(
    'a tracepoint has its name from the tracing data of a pipe, little-endian %s',
    async (littleEndian) => {
      const names = ['sched:sched_switch', 'tracepoint-999', 'hardware-316'];
      expect(await namesIn(pipe(littleEndian))).toEqual(names);
    },
  );

  test('a tracepoint has its name from the tracing data of a file', async () => {
    const TRACING_DATA = 1;
    const file = perfDataFile({
      attrs: [{ attr: SWITCH, ids: [] }],
      records: [],
      features: [[TRACING_DATA, tracingData(true)]],
    });
    expect(await namesIn(file)).toEqual(['sched:sched_switch']);
  });
});
