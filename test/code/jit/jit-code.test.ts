import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { CodeLayer } from '../../../src/code/jit/code-layer.ts';
import type { CodeTable } from '../../../src/code/jit/code-table.ts';
import { JitCode } from '../../../src/code/jit/jit-code.ts';
import { readPerfMap } from '../../../src/code/jit/perf-map.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';

/** `TIME START SIZE NAME` lines, `restart` between them. */
function drawn(text: string): CodeTable {
  const pieces = [];
  let bytes = '';
  let isRestart = false;
  for (const line of text.trim().split('\n')) {
    const [time, ...rest] = line.trimStart().split(' ');
    if (time === 'restart') {
      isRestart = true;
      continue;
    }
    const at = bytes.length;
    bytes += `${rest.join(' ')}\n`;
    const timeNs = Number(time);
    pieces.push({ at, end: bytes.length, fromNs: timeNs, toNs: timeNs, isRestart });
    isRestart = false;
  }
  return readPerfMap(new TextEncoder().encode(bytes), pieces, new Diagnostics());
}

/** Who is at an address at each of some times. */
function course(tables: readonly CodeTable[], address: number, times: readonly number[]) {
  const dsos = new DsoTable();
  const jit = new JitCode(dsos, () => tables);
  const dso = dsos.intern({ kind: 'jit', pid: 7 });
  const seen = times.map((timeNs) => {
    jit.advance(timeNs);
    const placed = jit.isJit(dso) ? jit.place(dso, address) : dso;
    return { placed, name: jit.resolve(placed, address)?.name ?? null };
  });
  const names = seen.map(({ name }) => name);
  const rows = new Set(seen.map(({ placed }) => placed)).size;
  const bases = new Set(seen.map(({ placed }) => jit.baseOf(placed)));
  expect(bases).toEqual(new Set([dso]));
  return { names, rows, isReused: jit.isReused(seen[0]?.placed ?? dso, address) };
}

describe('code at an address', () => {
  const moving = `
    10 1000 100 JS:~a
    20 1080 100 JS:~b
    30 1000 100 JS:*a
    40 1080 100 JS:~b`;

  test('a JIT address is named by the code there at the time; each code object has its own frames', () => {
    const { names, rows, isReused } = course([drawn(moving)], 0x10a0, [15, 25, 35, 45]);
    expect(names).toEqual(['JS:~a', 'JS:~b', 'JS:*a', 'JS:~b']);
    expect(rows).toBe(3);
    expect(isReused).toBe(true);
  });

  test('JIT code announced repeatedly without change is one code object', () => {
    const table = drawn('10 1000 100 f\n20 1000 100 f\n30 1000 100 f');
    expect(course([table], 0x1010, [15, 25, 35])).toEqual({
      names: ['f', 'f', 'f'],
      rows: 1,
      isReused: false,
    });
  });

  test('a JIT address before any announcement has the first name announced later', () => {
    const { names } = course([drawn('20 1000 10 late\n30 1000 10 later')], 0x1000, [10, 25, 35]);
    expect(names).toEqual(['late', 'late', 'later']);
  });

  test('JIT code without a name stays unnamed', () => {
    const { names } = course(
      [drawn('10 1000 100 JS:~a\n20 1000 100 \n30 1000 100   \n40 1 1 x')],
      0x10a0,
      [15, 25, 35],
    );
    expect(names).toEqual(['JS:~a', null, null]);
  });

  test('an address outside all JIT code has no name', () => {
    expect(course([drawn('20 1000 10 f')], 0x1010, [30]).names).toEqual([null]);
    expect(course([], 0x1000, [30]).names).toEqual([null]);
  });

  test('a jitdump is preferred to a perf map', () => {
    const dump = drawn('10 1000 10 exact');
    const map = drawn('15 1000 10 rough\n15 2000 10 only here');
    expect(course([dump, map], 0x1000, [20]).names).toEqual(['exact']);
    expect(course([dump, map], 0x2000, [20]).names).toEqual(['only here']);
  });

  test('an exec forgets the JIT code of the process', () => {
    const { names } = course([drawn('10 1000 10 old\nrestart\n20 2000 10 new')], 0x1000, [15]);
    expect(names).toEqual(['old']);
    const layer = new CodeLayer(drawn('10 1000 90 old\nrestart\n20 1040 10 new'));
    layer.advance(30);
    expect(layer.table.name(layer.rowAt(0x1040))).toBe('new');
  });

  test('JIT code agrees with a simulated memory, line by line in time', () => {
    const line = fc.record({
      wait: fc.integer({ min: 0, max: 3 }),
      start: fc.integer({ min: 1, max: 40 }),
      size: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), (lines) => {
        let time = 0;
        const timed = lines.map(({ wait, start, size }, i) => {
          time += wait;
          return { time, start, size, name: `f${i}` };
        });
        const layer = new CodeLayer(
          drawn(
            timed
              .map((l) => `${l.time} ${l.start.toString(16)} ${l.size.toString(16)} ${l.name}`)
              .join('\n'),
          ),
        );
        for (let now = 0; now <= time; now++) {
          layer.advance(now);
          for (let address = 1; address < 60; address++) {
            const covering = timed.filter((l) => l.start <= address && address < l.start + l.size);
            const past = covering.filter((l) => l.time <= now);
            const expected = past.at(-1) ?? covering[0];
            const row = layer.rowAt(address);
            expect(row < 0 ? undefined : layer.table.name(row)).toBe(expected?.name);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('many map lines of one scan are applied as if one by one', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => {
    const start = ((i * 7919) % 4096) * 16;
    return `${i < 10_000 ? 10 : 20} ${(start + 16).toString(16)} 40 f${i}`;
  });
  const table = drawn(lines.join('\n'));
  const atOnce = new CodeLayer(table);
  atOnce.advance(20);
  const oneByOne = new CodeLayer({
    ...table,
    timeNs: table.timeNs.map((_, row) => row),
  });
  for (let now = 0; now < table.length; now++) oneByOne.advance(now);
  for (let address = 16; address < 65_536; address += 8) {
    expect(atOnce.rowAt(address)).toBe(oneByOne.rowAt(address));
  }
});
