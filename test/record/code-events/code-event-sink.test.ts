import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { loadBinding } from '../../../src/native/binding.ts';
import { CodeEventSink } from '../../../src/record/code-events/code-event-sink.ts';
import { isPortTaken, listeningPorts } from '../../../src/record/code-events/listening-ports.ts';

const newName = () => `@perf-ts-test-${randomBytes(8).toString('hex')}`;

function sinkFor(
  isRecorded: (pid: number) => boolean,
  reported: string[] = [],
): Promise<CodeEventSink> {
  return CodeEventSink.open({
    name: newName(),
    peerOf: loadBinding().peerOf,
    offsetNs: () => 0n,
    isRecorded,
    uids: [],
    notify: (notice) => reported.push(notice),
    heldMaps: null,
    signalSamples: () => {},
  });
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** A record of a type that nobody knows. */
const RECORD = Buffer.alloc(16);
RECORD.writeUInt32LE(16, 0);
RECORD.writeUInt16LE(99, 4);
const HEADER = Buffer.concat([Buffer.from('PTSCODE1'), Buffer.alloc(24)]);

test('code events become an attachment of their process, with what was sent last', async () => {
  const sink = await sinkFor(() => true);
  const program = connect(sink.name.replace('@', '\0'));
  await once(program, 'connect');
  program.write(HEADER);
  // The recorder ends the stream, and the program answers with the rest.
  program.once('end', () => program.end(Buffer.alloc(16)));
  await sink.settle();
  const attachments = sink.attachments();
  expect(attachments.map(({ name }) => name)).toEqual([`code-events/${process.pid}`]);
  expect(attachments[0].unpackedSize).toBe(16 + HEADER.length + 16);
  sink.close();
});

test('a recorder that asks has what was sent before the answer, and the stream goes on', async () => {
  const sink = await sinkFor(() => true);
  const connectOne = async () => {
    const program = connect(sink.name.replace('@', '\0'));
    await once(program, 'connect');
    program.write(HEADER);
    return program;
  };
  const [program, ending] = [await connectOne(), await connectOne()];
  // One that ends has no more to send.
  ending.once('data', () => ending.destroy());
  const answer = (question: number) => {
    const record = Buffer.alloc(16);
    record.writeUInt32LE(16, 0);
    record.writeUInt16LE(21, 4);
    record.writeUInt16LE(question, 6);
    return record;
  };
  const asked: number[] = [];
  program.on('data', ([question]) => {
    asked.push(question);
    // The late answer to an earlier question is none to this one.
    program.write(answer(question - 1));
    setImmediate(() => program.write(Buffer.concat([RECORD, answer(question)])));
  });
  await sink.catchUp();
  expect(sink.attachments()[0].unpackedSize).toBe(2 * (16 + HEADER.length) + RECORD.length);
  await sink.catchUp();
  expect(sink.attachments()[0].unpackedSize).toBe(2 * (16 + HEADER.length + RECORD.length));
  expect(asked).toEqual([1, 2]);
  program.destroy();
  sink.close();
});

test('a recorder takes nothing from a process that is not recorded', async () => {
  const sink = await sinkFor((pid) => pid !== process.pid);
  const stranger = connect(sink.name.replace('@', '\0'));
  stranger.on('error', () => {});
  await new Promise((closed) => stranger.once('close', closed));
  expect(sink.attachments()).toEqual([]);
  sink.close();
});

test('connections of one process are bounded, and said once; those that end make room', async () => {
  const reported: string[] = [];
  const sink = await sinkFor(() => true, reported);
  const connectOne = async () => {
    const program = connect(sink.name.replace('@', '\0'));
    program.on('error', () => {});
    await once(program, 'connect');
    return program;
  };
  const programs: Socket[] = [];
  for (let i = 0; i < 256; i++) programs.push(await connectOne());
  for (let i = 0; i < 3; i++) {
    const refused = await connectOne();
    await new Promise((closed) => refused.once('close', closed));
  }
  expect(reported).toEqual([expect.stringContaining('more than 256 threads of a process')]);
  expect(programs.filter(({ destroyed }) => destroyed)).toEqual([]);
  for (const program of programs) program.destroy();
  await sink.settle();
  const later = await connectOne();
  later.write(HEADER);
  later.once('end', () => later.end());
  await sink.settle();
  const [{ unpackedSize }] = sink.attachments();
  expect(unpackedSize).toBe(257 * 16 + HEADER.length);
  sink.close();
});

test('the ports of a process are those it listens on', async () => {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect([...listeningPorts(process.pid).values()]).toContain(port);
  expect(isPortTaken(process.pid, port)).toBe(true);
  expect([...listeningPorts(1).values()]).not.toContain(port);
  server.close();
  await once(server, 'close');
  expect(isPortTaken(process.pid, port)).toBe(false);
});

test('a stream takes memory by its bytes, not by the pieces in which they come', async () => {
  const sink = await sinkFor(() => true);
  const program = connect(sink.name.replace('@', '\0'));
  await once(program, 'connect');
  const sent = Buffer.concat([HEADER, ...Array.from({ length: 2000 }, () => RECORD)]);
  const before = heapBytes();
  for (let at = 0; at < sent.length; at++) {
    program.write(sent.subarray(at, at + 1));
    // The recorder reads it in the turn of the event loop that follows.
    await new Promise((turned) => setImmediate(turned));
  }
  program.once('end', () => program.end());
  await sink.settle();
  // Some 200 bytes of heap a piece, where each is kept by itself: 6 MB.
  expect(heapBytes() - before).toBeLessThan(2 << 20);
  const [attachment] = sink.attachments();
  expect(attachment.unpackedSize).toBe(16 + sent.length);
  sink.close();
});

test('code and notes without an end are stored as they lie, and of notes as many as a reader takes', async () => {
  const sink = await sinkFor(() => true);
  const program = connect(sink.name.replace('@', '\0'));
  await once(program, 'connect');
  program.write(HEADER);
  const record = (type: number) => {
    const bytes = Buffer.alloc(1 << 20, '\n');
    bytes.writeUInt32LE(bytes.length, 0);
    bytes.writeUInt16LE(type, 4);
    return bytes;
  };
  // A note, and a kind that nobody knows.
  const records = [...Array(70).fill(record(7)), ...Array(70).fill(record(99))];
  for (const bytes of records) await new Promise((sent) => program.write(bytes, sent));
  program.once('end', () => program.end());
  await sink.settle();
  const [code, notes] = sink.attachments();
  expect([code.packing, notes.packing]).toEqual(['none', 'none']);
  expect(code.unpackedSize).toBe(16 + HEADER.length + 70 * (1 << 20));
  expect(notes.unpackedSize).toBeGreaterThan(64 << 20);
  expect(notes.unpackedSize).toBeLessThan(65 << 20);
  const memory = ({ bytes }: typeof code) =>
    new Set(
      (bytes as Uint8Array[]).filter(({ length }) => length === 64 << 10).map((b) => b.buffer),
    );
  const again = sink.attachments();
  expect(memory(again[0]).size).toBeGreaterThan(1000);
  expect(memory(again[0])).toEqual(memory(code));
  sink.close();
});
