import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GrowingFile } from '../../src/view/growing-file.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { rereadHere } from '../helpers/reread-here.ts';
import { describeBrowser, frame } from './browser.ts';
import { sample } from './recording-text.ts';

/** What a browser does when its tab is left, and when it is looked at again. */
function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    const { document } = globalThis as unknown as { document: EventTarget };
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

describeBrowser('a tab that follows a recording', (tab) => {
  let directory: string;
  let path: string;
  let growing: GrowingFile;
  let server: ViewServer;
  const grow = (name: string) =>
    appendFileSync(path, `${sample('app', 7, 7, 1, [`${name} (/usr/bin/app)`])}\n`);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'perf-ts-live-tab-'));
    path = join(directory, 'recording.txt');
    writeFileSync(path, '');
    grow('first');
    growing = new GrowingFile(path, {
      open: rereadHere,
      isWatched: () => server.streams.isWatched,
      onGrowth: () => server.streams.grow(),
      onProblem: () => {},
    });
    server = await startViewServer([growing], { port: 0, isLive: true, users: null });
    growing.follow();
  });
  afterAll(async () => {
    await server.close();
    await growing.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('a hidden live tab sends no requests, and catches up when it is shown', async () => {
    const { page, requests } = await tab.visit(server.url);
    await frame(page, 'first').waitFor();
    await expect.poll(() => server.streams.isWatched).toBe(true);
    // The report's numbers are asked for when the graph stands.
    await expect.poll(() => requests.some((url) => url.endsWith('report/0'))).toBe(true);
    await setHidden(page, true);
    await expect.poll(() => server.streams.isWatched).toBe(false);
    const before = requests.length;
    grow('second');
    // Another tab sees it, and closes.
    const other = await tab.visit(server.url);
    await frame(other.page, 'second').waitFor();
    await other.page.close();
    expect(requests.slice(before)).toEqual([]);
    await setHidden(page, false);
    await frame(page, 'second').waitFor();
  });

  it('a live tab reports that the server is gone, and keeps its content', async () => {
    const { page } = await tab.visit(server.url, { expectedErrors: /Failed to load resource/ });
    await frame(page, 'first').waitFor();
    await setHidden(page, true);
    await page.route('**/live?*', (route) => route.abort());
    await setHidden(page, false);
    await page.getByText('perf-ts no longer answers').waitFor();
    await frame(page, 'first').click();
    await expect.poll(() => page.url()).toContain('zoom=');
  });
});
