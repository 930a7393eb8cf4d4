import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { formatAddress } from '../../../src/base/u64.ts';
import { type Jitdump, readJitdump } from '../../../src/code/jit/jitdump.ts';
import { columnIn } from '../../../src/read/jit/place-frame.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { seededRandom } from '../../helpers/random.ts';

const PID = 77;
const CODE = Uint8Array.of(0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3);

/** `struct jitheader`, and the records that the test adds to it. */
class DumpBuilder {
  readonly out: ByteWriter;

  constructor(littleEndian = true, { magic = 0x4a695444, version = 1, pid = PID, flags = 0 } = {}) {
    this.out = new ByteWriter(littleEndian);
    this.out.u32(magic).u32(version).u32(40).u32(62).u32(0).u32(pid).u64(0).u64(flags);
  }

  record(id: number, time: number, body: (out: ByteWriter) => void): this {
    const at = this.out.length;
    this.out.u32(id).u32(0).u64(time);
    body(this.out);
    this.out.patchU32(at + 4, this.out.length - at);
    return this;
  }

  load(time: number, address: number, name: string, code = CODE, size = code.length): this {
    return this.record(0, time, (out) =>
      out.u32(PID).u32(PID).u64(address).u64(address).u64(size).u64(0).text(name).u8(0).bytes(code),
    );
  }

  move(time: number, from: number, to: number, size: number): this {
    return this.record(1, time, (out) =>
      out.u32(PID).u32(PID).u64(to).u64(from).u64(to).u64(size).u64(0),
    );
  }

  lines(
    address: number,
    entries: readonly (readonly [address: number, line: number, file: string, column?: number])[],
  ): this {
    return this.record(2, 0, (out) => {
      out.u64(address).u64(entries.length);
      for (const [at, line, file, column = 0] of entries) {
        out.u64(at).u32(line).u32(column);
        if (file === '"') out.u8(0xff).u8(0);
        else out.text(file).u8(0);
      }
    });
  }

  unwinding(bytes: Uint8Array, headerSize: number): this {
    return this.record(4, 0, (out) =>
      out.u64(bytes.length).u64(headerSize).u64(0).bytes(bytes).zeros(8),
    );
  }
}

function read(bytes: Uint8Array, startTime: { high: number; low: number } | null = null) {
  const diagnostics = new Diagnostics();
  const options = { diagnostics, name: 'jit-77.dump', pid: PID, startTime };
  const dump = readJitdump(memorySource(bytes), options);
  const counted = diagnostics.entries().map(({ code, detail }) => `${code}: ${detail}`);
  return { dump, counted };
}

function rowsOf(dump: Jitdump | null): string[] {
  return Array.from({ length: dump?.length ?? 0 }, (_, row) => {
    const { timeNs, start, end } = dump as Jitdump;
    const range = `${formatAddress(start[row])}-${formatAddress(end[row])}`;
    return `${timeNs[row]} ${range} ${dump?.name(row)}`;
  });
}

const START = { high: 0, low: 100 };

describe('a jitdump', () => {
  test.each([true, false])(
    'a jitdump has code addresses and times (little-endian %s)',
    (little) => {
      const builder = new DumpBuilder(little)
        .load(110, 0x7f0000, 'first')
        .load(120, 0x7f0100, 'größe')
        .move(130, 0x7f0000, 0x7f0200, 6)
        .record(99, 140, (out) => out.u64(1))
        .record(3, 150, () => {})
        .load(160, 0x7f0300, 'behind the end');
      const { dump, counted } = read(builder.out.finish(), START);
      expect(rowsOf(dump)).toEqual([
        '10 0x7f0000-0x7f0006 first',
        '20 0x7f0100-0x7f0106 größe',
        '30 0x7f0200-0x7f0206 first',
      ]);
      expect(dump?.hasSameName(0, 2)).toBe(true);
      expect(dump?.hasSameName(0, 1)).toBe(false);
      expect(counted).toEqual([]);
    },
  );

  test('a file name of freed memory, with NULs in it, does not shift the entries behind it', () => {
    const freed = 'ab\0\0\0\0\0\0\0\x20\x82\0l/app/a.js';
    const builder = new DumpBuilder();
    builder.lines(0x7f0000, [
      [0x7f0040, 3, freed, 5],
      [0x7f0042, 4, freed, 7],
      [0x7f0044, 5, freed, 9],
    ]);
    const { dump, counted } = read(builder.load(0, 0x7f0000, 'f').out.finish());
    expect(counted).toEqual([]);
    expect(dump?.lines?.(0)).toMatchObject({
      offset: Float64Array.of(0, 2, 4),
      line: Int32Array.of(3, 4, 5),
      discriminator: Int32Array.of(5, 7, 9),
    });
    expect(dump?.line?.(0, 0x7f0003)).toMatchObject({ line: 4, discriminator: 7 });
  });

  test('a jitdump keeps the place of the machine code, and its frame tables, also after a move', () => {
    const unwinding = Uint8Array.of(1, 2, 3, 4, 5, 6);
    const builder = new DumpBuilder().unwinding(unwinding, 2).load(0, 0x7f0000, 'f');
    builder.move(1, 0x7f0000, 0x7f0200, CODE.length).load(1, 0x7f0100, 'without');
    builder.unwinding(unwinding, unwinding.length).load(1, 0x7f0300, 'with an empty search table');
    const bytes = builder.out.finish();
    const { dump } = read(bytes);
    const code = dump?.code(0) ?? { offset: 0, size: 0 };
    expect(bytes.subarray(code.offset, code.offset + code.size)).toEqual(CODE);
    expect(dump?.unwinding?.(0)).toEqual({
      address: 0x7f0008,
      ehFrame: unwinding.subarray(0, 4),
      ehFrameHdr: unwinding.subarray(4),
    });
    expect(dump?.unwinding?.(1)).toEqual({
      address: 0x7f0208,
      ehFrame: unwinding.subarray(0, 4),
      ehFrameHdr: unwinding.subarray(4),
    });
    expect(dump?.unwinding?.(2)).toBeNull();
    expect(dump?.unwinding?.(3)).toBeNull();
  });

  test("a jitdump's missing or oversized unwind tables are ignored", () => {
    const none = new DumpBuilder().load(0, 0x7f0000, 'f');
    expect(read(none.out.finish()).dump?.unwinding).toBeUndefined();
    const large = new DumpBuilder().unwinding(new Uint8Array(64 * 1024 + 1), 0);
    const { dump, counted } = read(large.load(0, 0x7f0000, 'f').out.finish());
    expect(dump?.length).toBe(1);
    expect(dump?.unwinding).toBeUndefined();
    expect(counted).toEqual(['jitdump-frame-tables-too-large: jit-77.dump']);
  });

  test.each([0, 0x40])(
    'a jitdump knows source lines, also after a move (entries %d bytes off)',
    (off) => {
      const at = 0x7f0000;
      const builder = new DumpBuilder()
        .lines(at, [
          [at + off, 3, '/app/a.ts'],
          [at + off + 2, 4, '"'],
          [at + off + 4, 9, '/app/b.ts'],
        ])
        .load(0, at, 'f')
        .move(1, at, 0x8f0000, 6);
      const { dump } = read(builder.out.finish());
      const lines = [0, 1, 2, 3, 4, 5].map((byte) => dump?.line?.(0, at + byte));
      expect(lines.map((line) => `${line?.file}:${line?.line}`)).toEqual([
        '/app/a.ts:3',
        '/app/a.ts:3',
        '/app/a.ts:4',
        '/app/a.ts:4',
        '/app/b.ts:9',
        '/app/b.ts:9',
      ]);
      expect(dump?.line?.(1, 0x8f0002)).toEqual({ file: '/app/a.ts', line: 4 });
    },
  );

  test('a jitdump has the columns that V8 writes in place of discriminators', () => {
    const entries = [
      [0x40, 3, '/app/a.js', 21],
      [0x44, 3, '"', 5],
      [0x45, 4, '"'],
    ] as const;
    const { dump } = read(
      new DumpBuilder().lines(0, entries).load(0, 0, 'JS:*f /app/a.js:1:1').out.finish(),
    );
    expect([0, 4, 5].map((byte) => dump?.line?.(0, byte))).toEqual([
      { file: '/app/a.js', line: 3, discriminator: 21 },
      { file: '/app/a.js', line: 3, discriminator: 5 },
      { file: '/app/a.js', line: 4 },
    ]);
    const at21 = { file: '/app/a.js', line: 3, discriminator: 21 };
    expect(columnIn(at21, 'JS:*f /app/a.js:1:1')).toBe(21);
    expect(columnIn(at21, 'julia_f_12')).toBe(0);
  });

  test("a file that is not a jitdump, or another process's, is refused with a reason", () => {
    const bytes = (options: object) => new DumpBuilder(true, options).out.finish();
    const reasonOf = (dump: Uint8Array) => read(dump).counted[0];
    const not = 'jitdump-unused: jit-77.dump:';
    expect(reasonOf(new Uint8Array(12))).toBe(`${not} shorter than its header`);
    expect(reasonOf(bytes({ magic: 1 }))).toBe(`${not} no jitdump (magic)`);
    expect(reasonOf(bytes({ version: 2 }))).toBe(`${not} version 2, 1 is known`);
    expect(reasonOf(bytes({ pid: 78 }))).toBe(`${not} written by process 78, not 77`);
  });

  test('a jitdump in CPU cycles, or of another clock, has no times', () => {
    const cycles = new DumpBuilder(true, { flags: 1 }).load(110, 0x7f0000, 'f').out.finish();
    const { dump, counted } = read(cycles, START);
    expect(dump?.timeNs[0]).toBe(-Number.MAX_VALUE);
    expect(counted[0]).toBe('jitdump-times-in-cycles: jit-77.dump');
  });

  test('a jitdump record of impossible code size is skipped', () => {
    const builder = new DumpBuilder()
      .load(1, 0x7f0000, 'huge', CODE, 2 ** 63)
      .load(2, 0x7f0000, 'larger than its record', CODE, 7)
      .load(3, 0x7f0100, 'good');
    const { dump, counted } = read(builder.out.finish());
    expect(rowsOf(dump).map((row) => row.split(' ').at(-1))).toEqual(['good']);
    expect(counted).toEqual(['jitdump-record-malformed: jit-77.dump']);
  });

  test('a jitdump cut within a record keeps the records before it', () => {
    const whole = new DumpBuilder().load(1, 0x7f0000, 'good').load(2, 0x7f0100, 'cut').out.finish();
    const cut = read(whole.subarray(0, whole.length - 1));
    expect(cut.dump?.length).toBe(1);
    expect(cut.counted).toEqual(['jitdump-cut: jit-77.dump']);
    const stuck = new DumpBuilder().load(1, 0x7f0000, 'good').out.u32(0).u32(0).zeros(40).finish();
    expect(read(stuck).dump?.length).toBe(1);
    expect(read(stuck).counted[0]).toMatch(/^jitdump-record-damaged: /);
  });

  test('a jitdump with any bytes changed is read without an exception', () => {
    const good = new DumpBuilder()
      .unwinding(CODE, 2)
      .lines(0x7f0000, [[0x7f0040, 3, 'a.js']])
      .load(1, 0x7f0000, 'one')
      .move(2, 0x7f0000, 0x7f1000, 6)
      .out.finish();
    const random = seededRandom(7);
    for (let round = 0; round < 2000; round++) {
      const bytes = good.slice();
      for (let change = 0; change < 3; change++) {
        bytes[40 + Math.floor(random() * (bytes.length - 40))] = Math.floor(random() * 256);
      }
      const { dump } = read(bytes);
      for (let row = 0; row < (dump?.length ?? 0); row++) {
        dump?.name(row);
        dump?.line?.(row, dump.start[row]);
      }
    }
  });

  test.skipIf(!hasCorpora)("a jitdump of V8 has the loads that V8's own reader finds", () => {
    const expected = JSON.parse(
      gunzipSync(readCorpus('expected/own/jit-6703.dump.json.gz')).toString(),
    ) as {
      records: { CODE_LOAD: number };
      code_loads: [number, string, string, number, number, string][];
    };
    const diagnostics = new Diagnostics();
    const options = { diagnostics, name: '', pid: 6703, startTime: { high: 0, low: 0 } };
    const dump = readJitdump(memorySource(readCorpus('own/jit-6703.dump')), options) as Jitdump;
    const loads = Array.from({ length: dump.length }, (_, row) => [
      dump.timeNs[row],
      formatAddress(dump.start[row]),
      dump.code(row).size,
      dump.name(row),
    ]);
    expect(loads).toHaveLength(expected.records.CODE_LOAD);
    expect(loads.slice(0, expected.code_loads.length)).toEqual(
      expected.code_loads.map(([time, , address, size, , name]) => [time, address, size, name]),
    );
    const located = loads.flatMap(([, , , name], row) => {
      const line = dump.line?.(row, dump.end[row] - 1);
      return line ? [{ name: String(name), file: line.file }] : [];
    });
    expect(located).toHaveLength(29);
    // Baseline code has nothing inlined: its last line is of the function that it is named for. This V8
    // wrote some files' names from memory that it had freed.
    const isText = (file: string) => !/[^\x20-\x7e]/.test(file);
    const baseline = located.filter(({ name, file }) => name.startsWith('JS:^') && isText(file));
    expect(baseline.length).toBeGreaterThan(0);
    for (const { name, file } of baseline) expect(name).toContain(file);
    expect(diagnostics.entries()).toEqual([]);
  });
});
