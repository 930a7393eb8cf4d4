import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { pathOfScript } from '../../../src/code/javascript/script-path.ts';
import { nameOfVersion, parseV8Name } from '../../../src/code/javascript/v8-name.ts';
import { encodeCodeEvents, readCodeEvents } from '../../../src/code/jit/code-events.ts';
import { CodeLayer } from '../../../src/code/jit/code-layer.ts';
import { encodeVersion } from '../../../src/code/jit/code-record.ts';
import { StreamSplitter } from '../../../src/code/jit/stream-splitter.ts';
import { withAnnouncedLines } from '../../../src/read/jit/v8-lines.ts';

const START = { high: 0, low: 1000 };

/** One isolate's stream, written record by record as the program's library does. */
class Stream {
  readonly chunks: Uint8Array[] = [];

  constructor() {
    const header = Buffer.alloc(32);
    header.write('PTSCODE1');
    this.chunks.push(header);
  }

  added(timeNs: number, start: number, length: number, name: string, codeType = 1): this {
    const text = Buffer.from(name);
    const body = Buffer.alloc(24 + Math.ceil(text.length / 8) * 8);
    body.writeBigUInt64LE(BigInt(start), 0);
    body.writeBigUInt64LE(BigInt(length), 8);
    body.writeBigUInt64LE(BigInt(text.length), 16);
    text.copy(body, 24);
    return this.record(1, timeNs, body, codeType);
  }

  numbers(type: number, timeNs: number, ...values: number[]): this {
    return this.numbersOf(1, type, timeNs, ...values);
  }

  numbersOf(codeType: number, type: number, timeNs: number, ...values: number[]): this {
    const body = Buffer.alloc(values.length * 8);
    for (const [i, value] of values.entries()) body.writeBigUInt64LE(BigInt(value), i * 8);
    return this.record(type, timeNs, body, codeType);
  }

  record(type: number, timeNs: number, body: Uint8Array, codeType: number): this {
    const head = Buffer.alloc(16);
    head.writeUInt32LE(16 + body.length, 0);
    head.writeUInt16LE(type, 4);
    head.writeUInt16LE(codeType, 6);
    head.writeBigUInt64LE(BigInt(timeNs), 8);
    this.chunks.push(head, body);
    return this;
  }
}

/** Numbers below 128, which are one byte each, filled up to a whole record. */
function withBytes(head: Buffer, bytes: readonly number[]): Buffer {
  return Buffer.concat([head, Buffer.from(bytes), Buffer.alloc(-bytes.length & 7)]);
}

function positions(start: number, script: number, flags: number, bytes: readonly number[]): Buffer {
  const head = Buffer.alloc(24);
  head.writeBigUInt64LE(BigInt(start), 0);
  for (const [i, value] of [script, flags, 0, bytes.length].entries()) {
    head.writeUInt32LE(value, 8 + 4 * i);
  }
  return withBytes(head, bytes);
}

function lineEnds(script: number, bytes: readonly number[]): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(script, 0);
  head.writeUInt32LE(bytes.length, 4);
  head.writeBigUInt64LE(BigInt(bytes.length), 8);
  return withBytes(head, bytes);
}

function layerOf(
  streams: readonly Stream[],
  diagnostics = new Diagnostics(),
  offsetNs = 0n,
): CodeLayer {
  const frames = streams.map(({ chunks }) => ({ offsetNs, chunks }));
  return new CodeLayer(
    readCodeEvents(Buffer.concat(encodeCodeEvents(frames)), START, diagnostics).table,
  );
}

function nameAt(layer: CodeLayer, address: number): string | null {
  const row = layer.rowAt(address);
  return row < 0 ? null : layer.table.name(row);
}

describe('code events of V8', () => {
  test('code events name code from the time at which it was added, and where it moved to', () => {
    const stream = new Stream()
      .added(2000, 0x5000, 0x100, 'JS:^a /a.js:1:1')
      .added(3000, 0x5000, 0x80, 'JS:*b /a.js:2:1')
      .numbers(2, 4000, 0x5000, 0x80, 0x9000);
    const layer = layerOf([stream]);
    layer.advance(1500);
    expect(nameAt(layer, 0x5010)).toBe('JS:^a /a.js:1:1');
    layer.advance(2500);
    expect(nameAt(layer, 0x5010)).toBe('JS:*b /a.js:2:1');
    expect(nameAt(layer, 0x5090)).toBe('JS:^a /a.js:1:1');
    layer.advance(3500);
    expect(nameAt(layer, 0x9010)).toBe('JS:*b /a.js:2:1');
  });

  test('code of a script that is another version of its path has the mark of that version, also without positions', () => {
    const name = 'JS:~f /hot.ts:2:7';
    const stream = new Stream()
      .added(2000, 0x5000, 0x10, name, 0)
      .record(8, 2000, positions(0x5000, 7, 0, [0, 2]), 0)
      .added(2100, 0x6000, 0x10, name)
      .added(3000, 0x7000, 0x10, name, 0)
      .record(8, 3000, positions(0x7000, 9, 0, [0, 2]), 0)
      .added(3100, 0x8000, 0x10, name)
      .numbers(2, 4000, 0x8000, 0x10, 0x9000);
    const head = stream.chunks.slice(0, 1);
    const chunks = [...head, encodeVersion(9, 1), ...stream.chunks.slice(1)];
    const bytes = Buffer.concat(encodeCodeEvents([{ offsetNs: 0n, chunks }]));
    const { table, positions: log } = readCodeEvents(
      bytes,
      START,
      new Diagnostics(),
      nameOfVersion,
    );
    const later = 'JS:~f /hot.ts?perf-ts-version=1:2:7';
    const rows = Array.from({ length: table.length }, (_, row) => table.name(row));
    expect(rows).toEqual([name, name, later, later, later]);
    expect([0, 1].map((row) => log.name(row))).toEqual([name, later]);
    expect([table.hasSameName(0, 1), table.hasSameName(1, 3)]).toEqual([true, false]);
    expect(pathOfScript(parseV8Name(later)!.file)).toBe('/hot.ts');
  });

  test('code events have the functions that waited for the code that was added', () => {
    const stream = new Stream()
      .added(2000, 0x5000, 0x100, 'JS:~a /a.js:1:1', 0)
      .numbers(15, 3000, 0x5010, 1, 2, 3, 4);
    const { callers } = layerOf([stream]).table;
    expect(callers?.find(Float64Array.of(1, 2, 3, 4), 2, 1500)).toBe(0x5010);
    expect(callers?.find(Float64Array.of(1, 2, 3, 4), 2, 2500)).toBe(-1);
    expect(layerOf([new Stream()]).table.callers).toBeUndefined();
  });

  test('code that was evaluated goes by the function that waited for it, and by the line of that', () => {
    const at = (bytes: readonly number[], script: number, start: number) =>
      positions(start, script, 0, bytes);
    // Bytes 0x10 and on of the maker are 25 units into its script, whose second line begins at 10.
    const stream = new Stream()
      .added(2000, 0x5000, 0x20, 'JS:~compile /a.js:2:7', 0)
      .record(8, 2000, at([0x20, 50], 7, 0x5000), 0)
      .record(9, 2000, lineEnds(7, [9, 40]), 0)
      .added(2100, 0x5800, 0x40, 'JS:*between /a.js:1:1')
      .record(8, 2100, positions(0x5800, 7, 1, [0, 8]), 1);
    const evaluate = (timeNs: number, script: number, start: number, inner: readonly number[]) =>
      stream
        .added(timeNs, start, 0x10, 'Eval:~ :1:1', 0)
        .record(8, timeNs, at([0, 2], script, start), 0)
        .numbers(15, timeNs, 0x5012, ...inner, 3, 4)
        .added(timeNs, start + 0x80, 0x10, 'JS:~ :1:20')
        .added(timeNs, start + 0x100, 0x10, 'JS:~ :1:20', 0)
        .record(8, timeNs, at([0, 2], script, start + 0x100), 0)
        .added(timeNs, start + 0x200, 0x10, 'JS:~inner :3:4', 0)
        .record(8, timeNs, at([0, 2], script, start + 0x200), 0);
    evaluate(3000, 8, 0x10000, [1, 2]);
    evaluate(4000, 9, 0x20000, [1, 0x5809]);
    evaluate(5000, 10, 0x30000, [0x5809, 2]);
    stream.added(6000, 0x40000, 0x10, 'JS:* :1:20');
    const bytes = Buffer.concat(encodeCodeEvents([{ offsetNs: 0n, chunks: stream.chunks }]));
    const table = withAnnouncedLines(readCodeEvents(bytes, START, new Diagnostics()));
    const named = Array.from({ length: table.length }, (_, row) => table.name(row)).slice(2);
    const inCompile = (name: string) => `JS:~${name} in compile /a.js:2:16`;
    const inBetween = (name: string) => `JS:~${name} in between /a.js:1:5`;
    expect(named).toEqual([
      ...['eval', 'new Function', 'new Function', 'inner evaluated'].map(inCompile),
      ...['eval', 'new Function', 'new Function', 'inner evaluated'].map(inBetween),
      ...['Eval:~ :1:1', 'JS:~ :1:20', 'JS:~ :1:20', 'JS:~inner :3:4'],
      'JS:* :1:20',
    ]);
  });

  test('code events leave code that was removed without a name', () => {
    const stream = new Stream()
      .added(2000, 0x5000, 0x100, 'JS:^a /a.js:1:1')
      .numbers(3, 3000, 0x5000, 0x100);
    const layer = layerOf([stream]);
    layer.advance(5000);
    expect(nameAt(layer, 0x5010)).toBe('');
  });

  test('code events of several isolates are in the order of their times', () => {
    const main = new Stream().added(5000, 0x5000, 0x100, 'main, later');
    const worker = new Stream().added(2000, 0x5000, 0x100, 'worker, before');
    const layer = layerOf([main, worker]);
    expect([...layer.table.timeNs]).toEqual([1000, 4000]);
    layer.advance(10_000);
    expect(nameAt(layer, 0x5000)).toBe('main, later');
  });

  test('code events are on the clock of the recording', () => {
    const layer = layerOf([new Stream().added(2000, 0x5000, 8, 'f')], new Diagnostics(), 500n);
    expect([...layer.table.timeNs]).toEqual([1500]);
  });

  test('code events name machine code and WebAssembly, and tell bytecode apart, wherever it moves', () => {
    const stream = new Stream()
      .added(2000, 0x5000, 0x100, 'JS:~a /a.js:1:1', 0)
      .added(2000, 0x6000, 0x100, 'JS:wasm-function[3]-3-liftoff', 2)
      .numbersOf(0, 2, 3000, 0x5000, 0x100, 0x9000);
    const layer = layerOf([stream]);
    layer.advance(5000);
    expect(nameAt(layer, 0x9010)).toBe('JS:~a /a.js:1:1');
    const isBytecode = (address: number) => layer.table.isBytecode?.(layer.rowAt(address));
    expect([0x5010, 0x6010, 0x9010].map(isBytecode)).toEqual([true, false, true]);
    expect(nameAt(layer, 0x6010)).toBe('JS:wasm-function[3]-3-liftoff');
  });

  test('code events have the positions of code, where it moved to as well, and the lines of scripts', () => {
    const stream = new Stream()
      .added(2000, 0x5000, 0x100, 'JS:*a /a.js:1:1')
      // +1 at 3; +4 at 2, of call 0; +5 at 2.
      .record(8, 2000, positions(0x5000, 7, 1, [2, 6, 7, 1, 1, 2, 0]), 1)
      .record(9, 2000, lineEnds(7, [10, 20, 30]), 1)
      .added(3000, 0x7000, 0x40, 'JS:~b /a.js:2:1', 0)
      .record(8, 3000, positions(0x7000, 7, 0, [0, 8]), 0)
      .numbers(2, 4000, 0x5000, 0x100, 0x9000);
    const bytes = Buffer.concat(encodeCodeEvents([{ offsetNs: 0n, chunks: stream.chunks }]));
    const events = readCodeEvents(bytes, START, new Diagnostics());
    expect([...events.positionsOf]).toEqual([0, 1, 0]);
    const { positions: log } = events;
    expect(log.entries(0)).toEqual({
      offset: Float64Array.of(1, 4, 5),
      position: Int32Array.of(3, 2, 2),
      inlining: Int32Array.of(-1, 0, 0),
    });
    expect([log.name(1), log.isBytecode(1), log.isBytecode(0)]).toEqual([
      'JS:~b /a.js:2:1',
      true,
      false,
    ]);
    expect([log.knowsInlining(0), log.knowsInlining(1)]).toEqual([true, false]);
    expect([...(log.lineEnds(log.isolate(0), 7) ?? [])]).toEqual([10, 30, 60]);
    expect(log.lineEnds(log.isolate(0), 8)).toBeNull();
  });

  test('code events are split from notes and source maps, which are not kept twice', () => {
    const url = Buffer.from('data:application/json,{}');
    const head = Buffer.alloc(8);
    head.writeUInt32LE(7, 0);
    head.writeUInt32LE(url.length, 4);
    const stream = new Stream()
      .added(2000, 0x5000, 0x100, 'JS:*a /a.ts:1:1')
      .record(9, 2000, lineEnds(7, [10, 20]), 1)
      .record(10, 2000, withBytes(head, [...url]), 1)
      .record(7, 2000, Buffer.from('{"kind":"other"}\n'.padEnd(24, '\n')), 0)
      .added(3000, 0x6000, 0x100, 'JS:*b /b.ts:1:1');
    const whole = Buffer.concat(stream.chunks);
    for (let cut = 0; cut <= whole.length; cut++) {
      const split = splitStream([whole.subarray(0, cut), whole.subarray(cut)]);
      expect(split.maps).toEqual([['JS:*a /a.ts:1:1', 'data:application/json,{}']]);
      expect(split.names).toEqual(['JS:*a /a.ts:1:1', 'JS:*b /b.ts:1:1']);
      expect(split.scripts).toEqual([[7, 'JS:*a /a.ts:1:1']]);
      expect(split.notes.toString().trim()).toBe('{"kind":"other"}');
      const bytes = Buffer.concat(encodeCodeEvents([{ offsetNs: 0n, chunks: [split.code] }]));
      expect(bytes.includes(url)).toBe(false);
      const { table, positions: log } = readCodeEvents(bytes, START, new Diagnostics());
      expect(table.length).toBe(2);
      expect([...(log.lineEnds(1, 7) ?? [])]).toEqual([10, 30]);
    }
  });

  test('a stream that is damaged, or no stream, stays as it is from there on', () => {
    const damage = Buffer.from([7, 0, 0, 0, ...Buffer.alloc(12)]);
    const { chunks } = new Stream().record(7, 2000, Buffer.from('{"kind":"other"}'), 0);
    const sent = Buffer.concat([new Stream().chunks[0], damage, ...chunks]);
    for (let cut = 0; cut <= sent.length; cut++) {
      const split = splitStream([sent.subarray(0, cut), sent.subarray(cut)]);
      expect(split.code).toEqual(sent);
      expect(split.notes.length).toBe(0);
    }
    const foreign = Buffer.concat([Buffer.alloc(32), ...chunks.slice(1)]);
    expect(splitStream([foreign]).code).toEqual(foreign);
  });

  test('a record that a killed program left unfinished is in no part of its stream', () => {
    const { chunks } = new Stream().record(7, 2000, Buffer.from('{"kind":"other"}'), 0);
    const sent = Buffer.concat(chunks);
    const split = splitStream([sent.subarray(0, -1)]);
    expect([split.code.length, split.notes.length]).toEqual([32, 0]);
  });

  test.each([
    ['positions', 8, positions(0x5000, 7, 1, [2, 6]), 20],
    ['line ends', 9, lineEnds(7, [10]), 8],
  ])('code events with %s beyond their record are damaged', (_, type, body, at) => {
    body.writeUInt32LE(4096, at);
    const diagnostics = new Diagnostics();
    layerOf([new Stream().record(type, 2000, body, 1)], diagnostics);
    expect(diagnostics.entries()).toMatchObject([{ code: 'code-events-damaged' }]);
  });

  test('code events count what the program lost', () => {
    const diagnostics = new Diagnostics();
    layerOf([new Stream().numbers(6, 2000, 7)], diagnostics);
    expect(diagnostics.entries()).toMatchObject([{ code: 'code-events-lost', count: 7 }]);
  });

  test('code events of a program that was killed are kept up to the record that it had begun', () => {
    const diagnostics = new Diagnostics();
    const stream = new Stream().added(2000, 0x5000, 8, 'f').added(3000, 0x6000, 8, 'g');
    stream.chunks.splice(-1, 1, stream.chunks.at(-1)?.subarray(0, 8) as Uint8Array);
    const layer = layerOf([stream], diagnostics);
    expect(layer.table.length).toBe(1);
    expect(diagnostics.entries()).toEqual([]);
  });

  test.each([
    ['another magic', (bytes: Buffer) => bytes.write('WHATEVER', 16)],
    ['a record shorter than its head', (bytes: Buffer) => bytes.writeUInt32LE(8, 48)],
    ['a frame longer than the file', (bytes: Buffer) => bytes.writeUInt32LE(1 << 30, 0)],
    ['a name longer than its record', (bytes: Buffer) => bytes.writeUInt32LE(4096, 80)],
  ])('code events with %s are damaged, and end there', (_, damage) => {
    const { chunks } = new Stream().added(2000, 0x5000, 8, 'f');
    const bytes = Buffer.concat(encodeCodeEvents([{ offsetNs: 0n, chunks }]));
    damage(bytes);
    const diagnostics = new Diagnostics();
    expect(readCodeEvents(bytes, START, diagnostics).table.length).toBe(0);
    expect(diagnostics.entries()).toMatchObject([{ code: 'code-events-damaged' }]);
  });
});

test('millions of notes and source maps are taken out of a stream end to end', () => {
  const note = Buffer.alloc(24, '\n');
  note.writeUInt32LE(note.length, 0);
  note.writeUInt16LE(7, 4);
  const map = Buffer.alloc(24);
  map.writeUInt32LE(map.length, 0);
  map.writeUInt16LE(10, 4);
  const pairs = Buffer.concat(Array.from({ length: 10_000 }, () => [note, map]).flat());
  const blocks = Array.from({ length: 100 }, () => pairs);
  const { code, notes } = splitStream([...new Stream().chunks, ...blocks], false);
  expect(notes.length).toBe(1_000_000 * 8);
  expect(new Set(notes)).toEqual(new Set(['\n'.charCodeAt(0)]));
  expect(code.length).toBe(32);
});

/** The parts of a stream that comes in pieces. */
function splitStream(pieces: readonly Uint8Array[], keepsMaps = true) {
  const names: string[] = [];
  const maps: string[][] = [];
  const scripts: [number, string][] = [];
  const splitter = new StreamSplitter({
    onName: (name) => names.push(`${Buffer.from(name)}`),
    onScript: (script, name) => scripts.push([script, `${Buffer.from(name)}`]),
    onSourceMap: (_script, name, url) => {
      if (keepsMaps) maps.push([`${Buffer.from(name)}`, `${Buffer.from(url)}`]);
    },
  });
  for (const piece of pieces) splitter.take(piece);
  const [code, notes] = [splitter.code, splitter.notes].map(({ chunks }) => Buffer.concat(chunks));
  return { names, maps, scripts, code, notes };
}
