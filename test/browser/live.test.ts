import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GrowingFile } from '../../src/view/growing-file.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { rereadHere } from '../helpers/reread-here.ts';
import { describeBrowser, frame } from './browser.ts';
import { sample } from './recording-text.ts';

describeBrowser('the page of a recording that is being made', (tab) => {
  let directory: string;
  let path: string;
  let growing: GrowingFile;
  let server: ViewServer;
  let problems: string[];

  const samplesOf = (name: string, fromMs: number) =>
    Array.from({ length: 50 }, (_, ms) =>
      sample('app', 7, 7, fromMs + ms, [`${name} (/usr/bin/app)`, 'main (/usr/bin/app)']),
    ).join('\n');

  beforeEach(async () => {
    problems = [];
    directory = mkdtempSync(join(tmpdir(), 'perf-ts-live-'));
    path = join(directory, 'recording.txt');
    writeFileSync(path, `${samplesOf('first', 0)}\n`);
    growing = new GrowingFile(path, {
      open: rereadHere,
      isWatched: () => server.streams.isWatched,
      onGrowth: () => server.streams.grow(),
      onProblem: (error) => problems.push(error.message),
    });
    server = await startViewServer([growing], { port: 0, isLive: true, users: null });
    growing.follow();
  });
  afterEach(async () => {
    await server.close();
    await growing.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('the live page follows the recording, keeps its view, and reports the end', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'first').click();
    await expect.poll(() => page.url()).toContain('zoom=');
    appendFileSync(path, `${samplesOf('second', 100)}\n`);
    // Zoomed into what was there, which fills the width as before.
    await expect.poll(() => page.locator('header').innerText()).toContain('100');
    await frame(page, 'first').waitFor();
    expect(await frame(page, 'second').count()).toBe(0);
    await page.goBack();
    await frame(page, 'second').waitFor();

    await page.getByRole('button', { name: 'Hold' }).click();
    appendFileSync(path, `${samplesOf('third', 200)}\n`);
    await page.getByText('there is more').waitFor();
    expect(await frame(page, 'third').count()).toBe(0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await frame(page, 'third').waitFor();

    await growing.finish();
    server.streams.end();
    await page.getByText('The recording has ended').waitFor();
    expect(problems).toStrictEqual([]);
  });
});
