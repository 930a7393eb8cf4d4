import { lstatSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FailedError, PerfDataError } from '../../src/base/errors.ts';
import { ServerAnswers } from '../../src/view/answers.ts';
import { type ClosableFile, Notebook } from '../../src/view/notebook.ts';
import type { ServedFile } from '../../src/view/served-file.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

/** A notebook of a folder with `count` files, whose readers give their paths and count themselves. */
function notebookOf(count: number, firstAnswer = async (path: string) => path) {
  const folder = scratchDirectory();
  for (let i = 0; i < count; i++) writeFileSync(join(folder, `${i}.folded`), 'a 1\n');
  const open = new Set<ClosableFile>();
  const notebook = new Notebook(folder, (path) => {
    const file = {
      name: path,
      pageData: async () => new TextEncoder().encode(path),
      firstAnswer: () => firstAnswer(path),
      close: async () => void open.delete(file),
    } as Partial<ClosableFile> as ClosableFile;
    open.add(file);
    return file;
  });
  const files: ServedFile[] = [];
  const list = () => notebook.list((file) => files.push(file) - 1);
  return { folder, notebook, open, files, list };
}

describe('the recordings of a folder that a server has', () => {
  it('a few recordings are open at a time, and one that was closed is read again', async () => {
    const { notebook, open, files, list } = notebookOf(30);
    list();
    for (const file of [...files, files[0]]) {
      expect(new TextDecoder().decode(await file.pageData())).toContain(file.name);
      expect(open.size).toBeLessThanOrEqual(8);
    }
    await notebook.close();
    expect(open.size).toBe(0);
  });

  it('no recording is closed while somebody waits for its answer', async () => {
    const { files, list } = notebookOf(30);
    list();
    const answers = await Promise.all(files.map((file) => file.pageData()));
    expect(answers).toHaveLength(30);
  });

  it('a file that has another in its place, with the same name, size and time, is a recording of its own', () => {
    const { folder, list } = notebookOf(1);
    const path = join(folder, '0.folded');
    const [before] = list();
    expect(list()).toStrictEqual([before]);
    const { mtimeMs } = lstatSync(path);
    writeFileSync(join(folder, 'new'), 'b 2\n');
    utimesSync(join(folder, 'new'), mtimeMs / 1000, mtimeMs / 1000);
    renameSync(join(folder, 'new'), path);
    expect(list()[0].file).not.toBe(before.file);
  });

  it('a first answer that failed is asked for again', async () => {
    let asked = 0;
    const { files, list } = notebookOf(1, async () => {
      if (asked++ === 0) throw new FailedError('not now');
      return 'now';
    });
    list();
    await expect(files[0].firstAnswer()).rejects.toThrow('not now');
    expect(await files[0].firstAnswer()).toBe('now');
    expect(await files[0].firstAnswer()).toBe('now');
    expect(asked).toBe(2);
  });

  it('a recording or folder that is not there, or can not be read, is not found', async () => {
    const { folder, notebook } = notebookOf(1);
    const damaged = {
      name: 'cut.data',
      pageData: () => Promise.reject(new PerfDataError('cut', 'it is cut')),
    } as Partial<ServedFile> as ServedFile;
    const answers = new ServerAnswers([], null, { notebook });
    const file = answers.add(damaged);
    const statusOf = async (path: string, query = '') =>
      (await answers.find(path, new URLSearchParams(query))).status;
    expect(await statusOf('')).toBe(200);
    expect(await statusOf('page')).toBe(404);
    expect(await statusOf('page', `files=${file}`)).toBe(404);
    expect(await statusOf(`profile/${file}`)).toBe(404);
    renameSync(folder, join(scratchDirectory(), 'moved'));
    expect(await statusOf('')).toBe(404);
    mkdirSync(folder);
    expect(await statusOf('')).toBe(200);
  });
});
