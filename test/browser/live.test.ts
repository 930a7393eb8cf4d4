import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
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

  const samplesOf = (name: string, fromMs: number, tid = 7) =>
    Array.from({ length: 50 }, (_, ms) =>
      sample('app', 7, tid, fromMs + ms, [`${name} (/usr/bin/app)`, 'main (/usr/bin/app)']),
    ).join('\n');
  const append = (samples: string) => appendFileSync(path, `${samples}\n`);

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

  /** Nothing loads the page anew: what a test has put into it would be gone. */
  const mark = (page: Page) => page.evaluate('document.isMarked = true');
  const isMarked = (page: Page) => page.evaluate('document.isMarked === true');
  const historyLength = (page: Page) => page.evaluate('history.length');
  const grown = async (page: Page, samples: number) => {
    await page.locator('.facts', { hasText: `${samples} samples` }).waitFor();
  };

  it('the live page is fed: what is typed, zoomed and chosen stays as it is', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'first').click();
    await expect.poll(() => page.url()).toContain('zoom=');
    const field = page.getByLabel('Search functions');
    await field.fill('fir');
    await page.getByText(/^100(\.0+)? ?% matched/).waitFor();
    await field.press('ArrowLeft');
    await mark(page);
    const [address, steps] = [page.url(), await historyLength(page)];
    append(samplesOf('second', 100));
    await grown(page, 100);
    await page.getByText(/^50(\.0+)? ?% matched/).waitFor();
    expect(page.url()).toBe(address);
    expect(await historyLength(page)).toBe(steps);
    expect(await isMarked(page)).toBe(true);
    // The caret is where it was.
    await page.keyboard.type('s');
    expect(await field.inputValue()).toBe('fisr');
    await field.fill('');
    await frame(page, 'first').waitFor();
    expect(await frame(page, 'second').count()).toBe(0);
    const path = page.getByRole('navigation', { name: 'Path of the zoom' });
    await path.getByRole('button', { name: 'all' }).click();
    await frame(page, 'second').waitFor();
    expect(await isMarked(page)).toBe(true);
  });

  it('an open menu and the focus in a list stay when the recording grows', async () => {
    const { page } = await tab.visit(`${server.url}#tab=table`);
    const row = page.locator('tr[data-key]', { hasText: 'first' });
    await row.focus();
    append(samplesOf('second', 100));
    await grown(page, 100);
    await page.locator('tr[data-key]', { hasText: 'second' }).waitFor();
    const focused = page.locator('tr:focus');
    expect(await focused.innerText()).toContain('first');
    // A second thread: there is something to choose now.
    append(samplesOf('third', 200, 8));
    await grown(page, 150);
    await page.locator('.head-filters .menu-button').click();
    const threads = page.locator('.filters').getByLabel('Thread');
    await threads.waitFor();
    append(samplesOf('third', 300, 8));
    await grown(page, 200);
    expect(await threads.isVisible()).toBe(true);
    expect(await threads.innerText()).toContain('(tid 8): 100 samples');
  });

  it('the window slides until a range is taken', async () => {
    append(samplesOf('late', 19_950));
    const { page } = await tab.visit(`${server.url}#window=10s`);
    await page.getByText('the last 10 s are shown').waitFor();
    await expect.poll(() => page.url()).toContain('range=9999000001-19999000001');
    await expect.poll(() => frame(page, 'first').count()).toBe(0);
    append(samplesOf('later', 29_950));
    await expect.poll(() => page.url()).toContain('range=19999000001-29999000001');
    await frame(page, 'later').waitFor();
    // Moved by hand.
    await page.keyboard.press(',');
    await page.getByText('the range that was taken stands still').waitFor();
    const address = page.url();
    append(samplesOf('last', 39_950));
    await grown(page, 200);
    expect(page.url()).toBe(address);
    await page.getByRole('button', { name: '60 s' }).click();
    await page.getByText('the last 60 s are shown').waitFor();
    await frame(page, 'first').waitFor();
  });

  it('a live page pauses, continues, and reports the end', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'first').waitFor();
    await page.keyboard.press('l');
    append(samplesOf('third', 200));
    await page.getByText('there is more').waitFor();
    expect(await frame(page, 'third').count()).toBe(0);
    await page.getByRole('button', { name: 'Continue' }).click();
    await frame(page, 'third').waitFor();

    await growing.finish();
    server.streams.end();
    await page.getByText('The recording has ended').waitFor();
    await frame(page, 'third').waitFor();
    expect(problems).toStrictEqual([]);
  });
});
