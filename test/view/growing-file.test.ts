import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { decodePageData } from '../../src/formats/export/page-data.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { GrowingFile, type Rereader } from '../../src/view/growing-file.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { scratchDirectory } from '../helpers/cli.ts';
import { rereadHere } from '../helpers/reread-here.ts';

const directory = scratchDirectory();
const path = join(directory, 'recording.folded');

/** What a `GrowingFile` did: `read`, `last`, `grown` or the text of a problem. */
let log: string[];
let isWatched: boolean;
/** How long reading takes. */
let readMs: number;

function follow(reader?: (path: string) => Rereader): GrowingFile {
  const open = (from: string): Rereader => ({
    ...(reader ?? rereadHere)(from),
    async reread(at, isLast, appendix) {
      const names = appendix.length > 0 ? ` and ${Buffer.from(appendix)}` : '';
      log.push(`${isLast ? 'last' : 'read'} ${at.slice(directory.length + 1)}${names}`);
      if (readMs > 0) await new Promise((resolve) => setTimeout(resolve, readMs));
    },
  });
  return new GrowingFile(path, {
    open,
    isWatched: () => isWatched,
    onGrowth: () => log.push('grown'),
    onProblem: ({ message }) => log.push(message.slice(directory.length + 1)),
  });
}

const grow = () => appendFileSync(path, 'main;more 1\n');

beforeEach(() => {
  writeFileSync(path, 'main;work 3\n');
  log = [];
  isWatched = true;
  readMs = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a recording that grows', () => {
  it('a growing recording is served before it begins', async () => {
    const growing = follow();
    const data = growing.pageData();
    growing.follow();
    expect(finish(decodePageData(await data)).profile.samples.length).toBe(3);
    await growing.close();
  });

  it('a growing recording is read again when it has grown and somebody looks', async () => {
    const growing = follow();
    growing.follow();
    await vi.advanceTimersByTimeAsync(3000);
    expect(log).toStrictEqual([]);
    grow();
    isWatched = false;
    await vi.advanceTimersByTimeAsync(3000);
    expect(log).toStrictEqual([]);
    isWatched = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toStrictEqual(['read recording.folded', 'grown']);
    await growing.close();
  });

  it('a growing recording is read half of the time at most, and never twice at once', async () => {
    const growing = follow();
    growing.follow();
    readMs = 3000;
    for (let second = 0; second < 12; second++) {
      grow();
      await vi.advanceTimersByTimeAsync(1000);
    }
    // From 1 s to 4 s, and from 7 s to 10 s.
    expect(log).toStrictEqual(['read recording.folded', 'grown', 'read recording.folded', 'grown']);
    const finished = growing.finish();
    await vi.advanceTimersByTimeAsync(20_000);
    await finished;
    expect(log.slice(4)).toStrictEqual(['last recording.folded', 'grown']);
  });

  it('a growing recording is followed where another recording has moved it', async () => {
    const growing = follow();
    growing.follow();
    renameSync(path, `${path}.old`);
    writeFileSync(path, 'another;one 100\n');
    appendFileSync(`${path}.old`, 'main;more 1\n');
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toStrictEqual(['read recording.folded.old', 'grown']);
    await growing.close();
    rmSync(`${path}.old`);
  });

  it('a growing recording may be deleted: what was read is still shown', async () => {
    const growing = follow();
    growing.follow();
    const before = await growing.pageData();
    rmSync(path);
    await vi.advanceTimersByTimeAsync(1000);
    const gone = 'recording.folded: no longer exists; the page shows what was read before';
    expect(log).toStrictEqual([gone]);
    const finished = growing.finish();
    await vi.advanceTimersByTimeAsync(1000);
    await finished;
    expect(log).toStrictEqual([gone, gone]);
    expect(await growing.pageData()).toStrictEqual(before);
  });

  it('a growing recording is read with what it would end with, and the file that takes its place at its end', async () => {
    const growing = follow();
    growing.follow(() => Buffer.from('names'));
    grow();
    await vi.advanceTimersByTimeAsync(1000);
    writeFileSync(`${path}.unwound`, 'main;work 3\n');
    renameSync(`${path}.unwound`, path);
    // An update in between reports nothing gone.
    await vi.advanceTimersByTimeAsync(1000);
    await growing.finish(path);
    expect(log).toStrictEqual([
      'read recording.folded and names',
      'grown',
      'last recording.folded',
      'grown',
    ]);
    await growing.close();
  });

  it('a growing file reads no more after its end', async () => {
    const growing = follow();
    growing.follow();
    await growing.finish();
    grow();
    await vi.advanceTimersByTimeAsync(5000);
    expect(log).toStrictEqual(['last recording.folded', 'grown']);
  });
});

it('a growing file finds the source of a function by the row that the page has', async () => {
  vi.useRealTimers();
  const source = join(directory, 'app.js');
  writeFileSync(source, 'function work() {}\n');
  const sample = (name: string, file: string) =>
    `app 7 [000] 1.000000: 1 cycles:\n\t7f00 ${name} (${file})\n\n`;
  const text = join(directory, 'script.txt');
  const named = `JS:*work ${source}:1:10`;
  writeFileSync(text, sample(named, '/tmp/perf-7.map'));
  const file = new ViewedFile(text, await openProfile(text), { isLive: true });
  const rowOf = () => finish(decodePageData(file.pageData())).profile.strings.indexOf(source);
  const row = rowOf();
  expect(JSON.parse(file.source(row))).toMatchObject({ text: 'function work() {}\n' });
  // What comes is read before what was there.
  writeFileSync(text, sample('a', '/b') + sample(named, '/tmp/perf-7.map'));
  file.replace(await openProfile(text), { isLive: true });
  expect(rowOf()).toBe(row);
  expect(JSON.parse(file.source(row))).toMatchObject({ text: 'function work() {}\n' });
});
