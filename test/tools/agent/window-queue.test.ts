import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders } from '../../../src/system/files/make-folders.ts';
import { type DropReason, WindowQueue } from '../../../src/tools/agent/delivery/window-queue.ts';
import {
  type EncodedWindow,
  packWindow,
  unpackWindow,
  uuidOf,
} from '../../../src/tools/agent/encode/encoded-window.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

function windowNamed(id: string, bytes = 10): EncodedWindow {
  const service = { name: 'shop', source: 'comm', attributes: { a: 'b' } } as const;
  const profiles = [{ id: uuidOf(id), service, bytes: Buffer.alloc(bytes, id) }];
  return { id, format: 'pprof', startNs: 1_700_000_000_123_456_789n, endNs: 17n, profiles };
}

function openQueue(directory: string | null, maxBytes = 1 << 20) {
  const dropped: DropReason[] = [];
  const reported: string[] = [];
  const queue = new WindowQueue({
    directory,
    maxBytes,
    format: 'pprof',
    notify: (notice) => reported.push(notice),
    drop: (reason) => dropped.push(reason),
  });
  return { queue, dropped, reported };
}

function drain(queue: WindowQueue): string[] {
  const ids: string[] = [];
  for (let first = queue.oldest(); first !== null; first = queue.oldest()) {
    ids.push(first.window.id);
    queue.remove(first.window.id);
  }
  return ids;
}

describe('a window as a file', () => {
  it('a window file is read back as it was, and not at all where it is cut', () => {
    const window = windowNamed('w');
    const packed = packWindow(window);
    const back = unpackWindow(packed)!;
    expect({ ...back, profiles: back.profiles.map(({ id }) => id) }).toEqual({
      ...window,
      profiles: window.profiles.map(({ id }) => id),
    });
    expect(Buffer.from(back.profiles[0].bytes)).toEqual(window.profiles[0].bytes);
    for (let length = 0; length < packed.length; length++) {
      expect(unpackWindow(packed.subarray(0, length))).toBe(null);
    }
  });
});

describe('the queue of a sink', () => {
  it('a queue keeps windows on disk for the next agent, oldest first, with their times', () => {
    const directory = scratchDirectory();
    const { queue } = openQueue(directory);
    queue.add(windowNamed('002'));
    queue.add(windowNamed('001'));
    const next = openQueue(directory).queue;
    expect(next.length).toBe(2);
    expect(next.oldest()?.window.startNs).toBe(1_700_000_000_123_456_789n);
    expect(drain(next)).toEqual(['001', '002']);
    expect(readdirSync(directory).filter((name) => name.endsWith('.window'))).toEqual([]);
  });

  it.each([null, 'disk'])('a queue gives up the oldest windows beyond its size (%s)', (place) => {
    const { queue, dropped } = openQueue(place && scratchDirectory(), 2000);
    for (const id of ['1', '2', '3', '4', '5']) queue.add(windowNamed(id, 500));
    expect(dropped).toEqual(['full', 'full', 'full']);
    expect(queue.bytes).toBeLessThanOrEqual(2000);
    expect(drain(queue)).toEqual(['4', '5']);
  });

  it('the queue does not send again what was under way when the agent was killed', () => {
    const directory = scratchDirectory();
    const { queue } = openQueue(directory);
    queue.add(windowNamed('1'));
    queue.add(windowNamed('2'));
    queue.note('1', [1, 2]);
    const next = openQueue(directory).queue;
    expect(next.oldest()?.open).toEqual([1, 2]);
    next.remove('1');
    expect(next.oldest()).toMatchObject({ open: null, window: { id: '2' } });
  });

  it('a queue leaves out files that are damaged, and removes those that were half written', () => {
    const directory = scratchDirectory();
    const { queue } = openQueue(directory);
    for (const id of ['1', '2', '3']) queue.add(windowNamed(id));
    truncateSync(join(directory, '1.window'), 30);
    writeFileSync(join(directory, '2.window'), 'not ours\n');
    writeFileSync(join(directory, '4.window.tmp'), 'half');
    writeFileSync(join(directory, 'progress'), '{"id":');
    const { queue: next, dropped } = openQueue(directory);
    expect(drain(next)).toEqual(['3']);
    expect(dropped).toEqual(['damaged', 'damaged']);
    expect(readdirSync(directory)).not.toContain('4.window.tmp');
  });

  it('windows of another kind of sink and of a newer version stay in the spool, and a folder is no window', () => {
    const directory = scratchDirectory();
    const { queue } = openQueue(directory);
    queue.add(windowNamed('1'));
    queue.add({ ...windowNamed('2'), format: 'rows' });
    queue.add(windowNamed('3'));
    const newer = join(directory, '3.window');
    const text = readFileSync(newer, 'latin1').replace('perf-ts-window@1', 'perf-ts-window@9');
    writeFileSync(newer, text, 'latin1');
    mkdirSync(join(directory, '4.window'));
    const { queue: next, dropped, reported } = openQueue(directory);
    expect(drain(next)).toEqual(['1']);
    expect(dropped).toEqual([]);
    expect(reported[0]).toContain('2 windows are for another kind of sink or of a newer version');
    expect(readdirSync(directory)).toEqual(['2.window', '3.window', '4.window']);
  });

  it.skipIf(process.geteuid?.() !== 0)(
    'a queue refuses a spool below a folder of somebody else',
    () => {
      const above = scratchDirectory();
      chmodSync(above, 0o777);
      expect(() => openQueue(join(above, 'spool'))).toThrow(`${above}: others may write into it`);
      chmodSync(above, 0o755);
      chownSync(above, 65_534, 65_534);
      expect(() => openQueue(join(above, 'spool'))).toThrow(`${above}: others may write into it`);
    },
  );

  it('a queue refuses a spool that others may write into', () => {
    const directory = scratchDirectory();
    chmodSync(directory, 0o777);
    expect(() => openQueue(directory)).toThrow('others may write into it');
    expect(() => openQueue('/proc/none')).toThrow('the spool cannot be used');
  });

  it('a queue keeps windows in memory while the disk takes none, says so once, and writes them when it does', () => {
    const directory = join(scratchDirectory(), 'spool');
    const { queue, reported } = openQueue(directory);
    // Nothing can be written into a directory that is gone, whoever asks: as on a full disk.
    rmSync(directory, { recursive: true });
    queue.add(windowNamed('1'));
    queue.add(windowNamed('2'));
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatch(/^windows wait in memory: /);
    expect(queue.inMemory).toBe(2);
    // A request of it has gone out: an agent that finds it on disk is to know.
    queue.note('1', [1]);
    makeFolders(directory, 0o700);
    queue.add(windowNamed('3'));
    expect(reported[1]).toBe(`${directory}: windows are written to disk again`);
    expect(queue.inMemory).toBe(0);
    const next = openQueue(directory).queue;
    expect(next.oldest()).toMatchObject({ open: [1], window: { id: '1', isInherited: true } });
    expect(drain(next)).toEqual(['1', '2', '3']);
  });

  it('a queue gives up the oldest windows in memory where the disk takes none for long', () => {
    const directory = join(scratchDirectory(), 'spool');
    const { queue, dropped } = openQueue(directory, 1 << 30);
    rmSync(directory, { recursive: true });
    for (const id of ['1', '2', '3', '4']) queue.add(windowNamed(id, 5 << 20));
    expect(dropped).toEqual(['full']);
    expect(drain(queue)).toEqual(['2', '3', '4']);
  });
});
