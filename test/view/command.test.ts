import { once } from 'node:events';
import { copyFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { decodePageData } from '../../src/formats/export/page-data.ts';
import type { FirstAnswer, PageSetup } from '../../src/formats/export/page-profile.ts';
import { perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';

const directory = scratchDirectory();
const folded = join(directory, 'a.folded');
writeFileSync(folded, 'main;work;leaf 30\nmain;idle 12\n');
const older = join(directory, 'older.folded');
writeFileSync(older, 'main;idle 7\n');
const other = join(directory, 'other.json');
writeFileSync(other, '{"a": 1}\n');

describe('the command view', () => {
  it('view serves what a thread has read, and ends with Ctrl-C', async () => {
    const view = startPerfTs(['view', older, folded]);
    const [printed] = (await once(view.child.stdout, 'data')) as [Buffer];
    const url = printed.toString().trim();
    // The newer one, which stands behind the older, is the first that the page has.
    for (const [index, samples] of [42, 7].entries()) {
      const answer = await fetch(`${url}profile/${index}`);
      const { profile } = finish(decodePageData(new Uint8Array(await answer.arrayBuffer())));
      expect(profile.samples.length).toBe(samples);
    }
    const download = await fetch(`${url}download/0/folded`);
    expect(await download.text()).toBe('main;idle 12\nmain;work;leaf 30\n');
    const source = await fetch(`${url}source/0?name=0`);
    expect(source.status).toBe(404);
    view.child.kill('SIGINT');
    expect(await view.ended).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['a folder that is named', ['view', directory], '/'],
    ['this folder, where it has several', ['view'], directory],
  ])('view lists the recordings of %s, with a first answer each', async (_, words, cwd) => {
    const view = startPerfTs(words, { cwd });
    const [printed] = (await once(view.child.stdout, 'data')) as [Buffer];
    const url = printed.toString().trim();
    const document = await (await fetch(url)).text();
    const [, json = ''] = /id="page-setup">(.*?)<\/script>/.exec(document) ?? [];
    const { files, notebook } = JSON.parse(json) as PageSetup;
    expect(files).toStrictEqual([]);
    expect(notebook?.folder).toBe(directory);
    const row = notebook?.rows.find(({ name }) => name === 'a.folded');
    expect(notebook?.rows.map(({ name }) => name)).not.toContain('other.json');
    const answer = (await (await fetch(`${url}answer/${row?.file}`)).json()) as FirstAnswer;
    expect(answer).toMatchObject({ samples: 42, top: { name: 'leaf', share: 30 / 42 } });
    const page = await fetch(`${url}profile/${row?.file}`);
    const { profile } = finish(decodePageData(new Uint8Array(await page.arrayBuffer())));
    expect(profile.samples.length).toBe(42);
    view.child.kill('SIGINT');
    expect(await view.ended).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['whatever its name', 'only.folded', []],
    ['beside its predecessor', 'perf.data', ['perf.data.old']],
    ['also one whose name is that of standard input', '-', []],
  ])('view opens the only recording of a folder, %s', async (_, name, others) => {
    const cwd = scratchDirectory();
    const recording = join(import.meta.dirname, '../read/fixtures/arm64-group.data');
    for (const file of [name, ...others]) {
      if (name.endsWith('.folded')) writeFileSync(join(cwd, file), 'main 3\n');
      else copyFileSync(recording, join(cwd, file));
    }
    const view = startPerfTs(['view', '--quiet'], { cwd });
    const [printed] = (await once(view.child.stdout, 'data')) as [Buffer];
    const document = await (await fetch(printed.toString().trim())).text();
    const [, json = ''] = /id="page-setup">(.*?)<\/script>/.exec(document) ?? [];
    const { files } = JSON.parse(json) as PageSetup;
    expect(files.map(({ title }) => title)).toStrictEqual([name]);
    view.child.kill('SIGINT');
    expect(await view.ended).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    [join(directory, 'missing'), 'no such file'],
    [other, 'not a perf.data file'],
  ])('fails without an address: %s', (path, reason) => {
    const { status, stdout, stderr } = perfTs(['view', path]);
    expect(status).toBe(125);
    expect(stdout).toBe('');
    expect(stderr).toContain(reason);
  });

  it('view fails after its address where only reading finds the error', () => {
    const { status, stdout, stderr } = perfTs(['view', '--weight', 'time', folded]);
    expect(status).toBe(125);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\S+\/\n$/);
    expect(stderr).toMatch(/^perf-ts: .*time/);
    expect(stderr).not.toContain('    at ');
  });

  it('view reads standard input once', () => {
    const { status, stderr } = perfTs(['view', '-', '-'], { input: 'main 1\n' });
    expect(status).toBe(2);
    expect(stderr).toContain('standard input is one recording');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'view ends with %s, and its port is free',
    async (signal) => {
      const view = startPerfTs(['view', folded]);
      const [printed] = (await once(view.child.stdout, 'data')) as [Buffer];
      const url = printed.toString().trim();
      // A connection that stays open is no reason to stay.
      const answer = await fetch(`${url}profile/0`);
      expect(answer.status).toBe(200);
      view.child.kill(signal);
      expect(await view.ended).toMatchObject({ status: 0, signal: null, stderr: '' });
      await expect(fetch(url)).rejects.toThrow();
    },
  );

  it('view keeps what it has read when the file is gone or another', async () => {
    const path = join(directory, 'moved.folded');
    copyFileSync(folded, path);
    const view = startPerfTs(['view', path]);
    const [printed] = (await once(view.child.stdout, 'data')) as [Buffer];
    const url = printed.toString().trim();
    await (await fetch(`${url}profile/0`)).arrayBuffer();
    rmSync(path);
    symlinkSync(other, path);
    const download = await fetch(`${url}download/0/folded`);
    expect(await download.text()).toBe('main;idle 12\nmain;work;leaf 30\n');
    view.child.kill('SIGINT');
    expect((await view.ended).status).toBe(0);
  });

  it('view reads a pipe before there is an address', () => {
    const { status, stdout, stderr } = perfTs(['view', '-'], { input: Buffer.from('{"a": 1}\n') });
    expect(status).toBe(125);
    expect(stdout).toBe('');
    expect(stderr).toContain('not a perf.data file');
  });
});
