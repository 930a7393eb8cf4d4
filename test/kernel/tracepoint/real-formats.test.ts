import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseHexAddress } from '../../../src/base/u64.ts';
import { TracepointFormats } from '../../../src/kernel/tracepoint/tracepoint-formats.ts';

const fixtures = join(dirname(fileURLToPath(import.meta.url)), 'fixtures');
const { symbols, samples } = JSON.parse(readFileSync(join(fixtures, 'samples.json'), 'utf8')) as {
  symbols: Record<string, string>;
  samples: { event: string; raw: string; perf: string }[];
};

const starts = Object.keys(symbols).map((hex) => ({
  start: parseHexAddress(hex),
  name: symbols[hex],
}));

function symbolOf(address: number): { name: string; offset: number } | null {
  const before = starts.filter(({ start }) => start <= address && address < start + 0x1000);
  const nearest = before.toSorted((a, b) => b.start - a.start)[0];
  return nearest ? { name: nearest.name, offset: address - nearest.start } : null;
}

const formats = new TracepointFormats(
  {
    formats: readdirSync(fixtures)
      .filter((file) => file.endsWith('.format'))
      .map((file) => ({
        system: file.split(':')[0],
        text: readFileSync(join(fixtures, file), 'utf8'),
      })),
    longSize: 8,
    littleEndian: true,
  },
  { symbolOf },
);

function viewOf(hex: string): DataView {
  const bytes = Buffer.from(hex, 'hex');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Where perf's text is not what the kernel's `trace` file says of the same sample, and what is
 * printed instead:
 *
 * - timer_start: libtraceevent's `flags & (A | B | C | D)` is as if it were `(flags & A) | B | C | D`, so
 *   each timer seems to be deferrable, pinned and irq-safe. tcp_orphan_timer is deferrable.
 * - mm_page_alloc: the address of `vmemmap_base` is not in a recording. perf takes it for 0, and
 *   shows the frame number as the address of the page.
 */
const CORRECTED: Readonly<Record<string, (perf: string) => string>> = {
  'timer:timer_start': (perf) =>
    perf.replace('flags=D|P|I', perf.includes('tcp_orphan_update') ? 'flags=D' : 'flags='),
  'kmem:mm_page_alloc': (perf) => perf.replace(/^page=0x[0-9a-f]+/, 'page=?'),
};

describe('tracepoints of a 6.18 kernel', () => {
  test.each(samples.map((sample) => [sample.event, sample] as const))(
    '%s: the text of perf script',
    (event, { raw, perf }) => {
      const view = viewOf(raw);
      const format = formats.of(view.getUint16(0, true))!;
      expect(`${format.system}:${format.name}`).toBe(event);
      expect(format.notEvaluated).toBeNull();
      const text = format.text(view, 0, view.byteLength, true);
      expect(text).toBe(CORRECTED[event]?.(perf) ?? perf);
    },
  );

  test('tracepoint fields are returned by name, arrays and addresses raw', () => {
    const fieldsOf = (event: string) => {
      const { raw } = samples.find((sample) => sample.event === event)!;
      const view = viewOf(raw);
      const format = formats.of(view.getUint16(0, true))!;
      return Object.fromEntries(format.fields(view, 0, view.byteLength, true));
    };
    expect(fieldsOf('sched:sched_switch')).toEqual({
      prev_comm: 'perf',
      prev_pid: 23013,
      prev_prio: 120,
      prev_state: 2,
      next_comm: 'migration/0',
      next_pid: 18,
      next_prio: 0,
    });
    expect(fieldsOf('raw_syscalls:sys_enter')).toEqual({
      id: 16,
      args: [25, 9216, 0, 0x7fd0eec2b5e0, 1, 0],
    });
    expect(fieldsOf('net:net_dev_queue')).toEqual({
      skbaddr: 0xffff88810ad866e0n,
      len: 74,
      name: 'lo',
    });
    expect(fieldsOf('sock:inet_sock_set_state')).toMatchObject({
      family: 2,
      saddr: [127, 0, 0, 1],
      daddr: [0, 0, 0, 0],
    });
  });

  test('a sample cut anywhere keeps the fields that are whole', () => {
    for (const { event, raw } of samples) {
      const view = viewOf(raw);
      const format = formats.of(view.getUint16(0, true))!;
      const whole = new Map(format.fields(view, 0, view.byteLength, true));
      for (let size = 0; size < view.byteLength; size++) {
        for (const [index, [name, value]] of format.fields(view, 0, size, true).entries()) {
          const field = format.fieldList[index];
          const isHere = field.offset + field.size <= size;
          expect(value === null, `${event} ${name} at ${size}`).toBe(!isHere);
          // What a dynamic field points to may be cut by itself.
          if (isHere && field.location === 'fixed') expect(value).toEqual(whole.get(name));
        }
        expect(typeof format.text(view, 0, size, true)).toBe('string');
      }
    }
  });
});
