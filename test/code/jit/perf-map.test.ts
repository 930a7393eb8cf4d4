import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { findPainted, paintRanges } from '../../../src/code/jit/painted-ranges.ts';
import {
  MAX_PERF_MAP_LINE_BYTES,
  readPerfMap,
  readWholePerfMap,
} from '../../../src/code/jit/perf-map.ts';
import { hasCorpora } from '../../helpers/corpora.ts';
import { readCorpusText } from '../../helpers/corpus-text.ts';

function parse(text: string) {
  const diagnostics = new Diagnostics();
  const table = readWholePerfMap(new TextEncoder().encode(text), diagnostics);
  const painted = paintRanges(table.start, table.end, 'latest');
  const rows = Array.from(
    { length: painted.length },
    (_, i) =>
      `${painted.starts[i]?.toString(16)}-${painted.ends[i]?.toString(16)} ` +
      table.name(painted.rows[i]),
  );
  const counts = Object.fromEntries(diagnostics.entries().map((e) => [e.code, e.count]));
  return { table, painted, rows, counts };
}

const BAD = 'perf-map-line-malformed';

describe('a perf map', () => {
  test('a perf map names ranges; names hold spaces, and may be given in UTF-8', () => {
    const { rows, counts } = parse('1000 20 JS:*compute /app/a b.js:1:2\n0x1020 0x8 größe\r\n');
    expect(rows).toEqual(['1000-1020 JS:*compute /app/a b.js:1:2', '1020-1028 größe']);
    expect(counts).toEqual({});
  });

  test('a perf map gives overlapped bytes to the later line, the rest to the earlier', () => {
    const { rows } = parse('100 100 first\n140 20 second\n1f0 30 third\n');
    expect(rows).toEqual(['100-140 first', '140-160 second', '160-1f0 first', '1f0-220 third']);
  });

  test('a perf map forgets an entry that a later one covers whole', () => {
    expect(parse('100 10 old\n100 10 new\n').rows).toEqual(['100-110 new']);
  });

  test('a perf map agrees with writing names byte by byte in file order', () => {
    const entry = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
        const memory = new Array<string | undefined>(100);
        for (const [i, [start, size]] of entries.entries()) {
          memory.fill(`f${i}`, start, start + size);
        }
        const text = entries.map(([s, n], i) => `${s.toString(16)} ${n.toString(16)} f${i}\n`);
        const { table, painted } = parse(text.join(''));
        for (let address = 0; address < 100; address++) {
          const row = findPainted(painted, address);
          expect(row < 0 ? undefined : table.name(row)).toBe(memory[address]);
        }
      }),
    );
  });

  test('a perf map line with an impossible address is skipped and counted', () => {
    const lines = [
      'zz 10 not hex',
      '100 0 empty',
      '10012',
      '7fffffffffffffff0 10 too long',
      'ffffffffffffff00 200 wraps',
      '1000 ffffffffffffffff huge',
      '',
      '2000 10 good',
    ];
    const { rows, counts } = parse(`${lines.join('\n')}\n`);
    expect(rows).toEqual(['2000-2010 good']);
    expect(counts).toEqual({ [BAD]: 6 });
  });

  test('a perf map takes a line of 64 KiB and not a byte more', () => {
    const fits = `1000 10 ${'x'.repeat(MAX_PERF_MAP_LINE_BYTES - 8)}`;
    expect(parse(`${fits}\n`).table.length).toBe(1);
    expect(parse(`${fits}x\n2000 10 next\n`).rows).toEqual(['2000-2010 next']);
  });

  test('perf map lines get times between the two scans of the file', () => {
    const text = '1000 10 a\n2000 10 b\n3000 10 c\n4000 10 d\n';
    const bytes = new TextEncoder().encode(text);
    const pieces = [
      { at: 0, end: 20, fromNs: 1000, toNs: 1200, isRestart: false },
      { at: 20, end: 40, fromNs: 1200, toNs: 1200, isRestart: true },
    ];
    const table = readPerfMap(bytes, pieces, new Diagnostics());
    expect([...table.timeNs]).toEqual([1100, 1200, 1200, 1200]);
    expect(table.restarts).toEqual([2]);
  });

  test.skipIf(!hasCorpora)('perf maps of .NET and V8 are read, broken lines counted', () => {
    const dotnet = parse(readCorpusText('DataDog+ddprof/perf-1.map'));
    expect(dotnet.rows.map((row) => row.split(' ')[0])).toContain('7fb0614a7be0-7fb0614a7d17');
    expect(dotnet.counts[BAD]).toBeGreaterThan(0);
    const text = readCorpusText('own/perf-6712.map.gz');
    const node = parse(text);
    expect(node.counts[BAD]).toBeUndefined();
    expect(node.rows).toContain('18c5140-18c55dc Builtin:RecordWriteIgnoreFP');
  });
});
