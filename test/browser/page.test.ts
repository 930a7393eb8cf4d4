import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

const widthOf = async (page: Page, name: string): Promise<number> =>
  (await frame(page, name).locator('rect').boundingBox())?.width ?? 0;

describeBrowser('the page of a server', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText({ slow: 30 }), recordingText());
  });

  it('the page shows the recording and asks for nothing else', async () => {
    const { page, requests } = await tab.visit(`${server.url}#tab=flame`);
    await frame(page, 'paintCell').waitFor();
    // The worker starts while the profile is fetched: either may be asked for first.
    // The page asks for the progress of reading while it lasts.
    const below = () =>
      requests
        .map((address) => address.slice(server.url.length))
        .filter((address) => address !== 'progress/0')
        .toSorted();
    const parts = ['page.css', 'page.js', 'profile/0', 'report/0', 'worker.js'];
    await expect.poll(below).toStrictEqual(['', ...parts]);
    // The first second and 30 % of the second are spent in it, and 10 % of the time were not sampled.
    const share = async () => (await widthOf(page, 'parse')) / (await widthOf(page, 'server'));
    await expect.poll(share).toBeCloseTo((900 + 270) / 1800, 1);
  });

  it('the page reports that it adds up until the first picture and the list are there', async () => {
    const { page } = await tab.visit(`${server.url}#tab=flame`);
    await page.addInitScript(`{
      const { postMessage } = Worker.prototype;
      const held = [];
      Worker.prototype.postMessage = function (message) {
        const isHeld = ['tree', 'table'].includes(message.kind) && globalThis.release !== null;
        if (isHeld) held.push([this, message]);
        else postMessage.call(this, message);
      };
      globalThis.release = () => {
        globalThis.release = null;
        for (const [worker, message] of held) postMessage.call(worker, message);
      };
    }`);
    await page.reload();
    const waiting = page.getByText('Adding up the samples …');
    await expect.poll(() => waiting.count()).toBe(2);
    await page.evaluate('release()');
    await frame(page, 'paintCell').waitFor();
    await page.locator('.where-row').first().waitFor();
    expect(await waiting.count()).toBe(0);
  });

  it('the page shows the heaviest functions of what is read so far, and how far that is, until the recording is there', async () => {
    const { page } = await tab.visit(`${server.url}#tab=flame`);
    let release = () => {};
    const isRead = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/profile/0', async (route) => {
      await isRead;
      await route.continue();
    });
    const heaviest = [
      { name: '<b>parse</b>', share: 0.6 },
      { name: 'render', share: 0.3 },
    ];
    const soFar = { part: 0.31, heaviest };
    const json = { words: 'reading run.data', percent: 42, soFar };
    await page.route('**/progress/0', (route) => route.fulfill({ json }));
    await page.reload();
    const rows = page.locator('.so-far li');
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(2);
    const reading = await page.locator('.reading').innerText();
    expect(reading).toContain('Reading run.data 42% …');
    expect(reading).toContain('Preliminary: most by itself in the first 31');
    expect(await rows.first().innerText()).toMatch(/60.*<b>parse<\/b>/s);
    expect(await page.locator('.reading progress').getAttribute('value')).toBe('42');
    release();
    await frame(page, 'paintCell').waitFor();
    expect(await page.locator('.reading').count()).toBe(0);
  });

  it('paper has all of the graph, of the chosen function and of the list', async () => {
    const { page } = await tab.visit(`${server.url}#tab=flame`, { height: 400 });
    await frame(page, 'paintCell').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const cut = () =>
      page.evaluate<string[]>(`
        ['.chart', '.chosen', '.chosen-body', '.where-list', '.side-panel', 'body'].filter((part) => {
          const { scrollHeight, clientHeight } = document.querySelector(part);
          return scrollHeight > clientHeight + 1;
        })`);
    await expect.poll(cut).toStrictEqual([]);
    const tops = await page.evaluate<number[]>(
      "['.chart', '.chosen', '.side-panel', '.status-line'].map((part) => document.querySelector(part).getBoundingClientRect().top)",
    );
    expect(tops).toStrictEqual(tops.toSorted((a, b) => a - b));
    expect(await page.locator('.tab-bar').isVisible()).toBe(false);
  });

  it('a link with rows of another recording shows the rest of what it holds, and a note until one goes on', async () => {
    const { page } = await tab.visit(
      `${server.url}#tab=table&hidden=0.1.2.3.4.5&search=parse&of=0.0.1-7`,
    );
    const note = page.locator('.status-note');
    await note.waitFor();
    await page.locator('tbody tr').first().click();
    await expect
      .poll(() => new URL(page.url()).hash)
      .toMatch(/&search=parse&func=\d+&of=(?!0\.0\.1)/);
    expect(new URL(page.url()).hash).not.toContain('hidden');
    expect(await note.isVisible()).toBe(false);
    await page.reload();
    await page.locator('tbody tr').first().waitFor();
    expect(await note.isVisible()).toBe(false);
  });

  it('a click zooms, and the back button takes it back', async () => {
    const { page } = await tab.visit(`${server.url}#tab=flame`);
    await frame(page, 'paintCell').waitFor();
    const before = await widthOf(page, 'parse');
    await frame(page, 'parse').click();
    await expect.poll(() => widthOf(page, 'parse')).toBeGreaterThan(before * 1.5);
    await expect.poll(() => frame(page, 'render').count()).toBe(0);
    const zoomed = page.url();
    await page.goBack();
    await frame(page, 'render').waitFor();
    await page.goForward();
    await expect.poll(() => frame(page, 'render').count()).toBe(0);
    // A shared link shows the same.
    const other = await tab.visit(zoomed);
    await frame(other.page, 'parse').waitFor();
    expect(await frame(other.page, 'render').count()).toBe(0);
  });

  it('Escape closes a popover, and the graph stays zoomed', async () => {
    const { page } = await tab.visit(`${server.url}#tab=flame`);
    await frame(page, 'parse').click();
    await expect.poll(() => frame(page, 'render').count()).toBe(0);
    await page.getByRole('button', { name: 'Share' }).click();
    await expect.poll(() => page.locator(':popover-open').count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator(':popover-open').count()).toBe(0);
    expect(page.url()).toContain('zoom=');
  });

  it('a search shows the share of its matches', async () => {
    const { page } = await tab.visit(`${server.url}#tab=flame`);
    await frame(page, 'paintCell').waitFor();
    await page.getByLabel('Search functions').fill('render');
    await expect.poll(() => page.locator('.search-result').innerText()).toMatch(/35\.\d* ?%/);
  });

  it('the page of two recordings compares them first of all', async () => {
    const { page, requests } = await tab.visit(server.url);
    await expect.poll(() => page.locator('#panel').innerText()).toContain('paintCell');
    expect(requests.some((address) => address.endsWith('/profile/1'))).toBe(true);
    // Parsing takes more than it did, painting less.
    const row = (name: string) => page.locator('.diff-table tr').filter({ hasText: name }).first();
    await expect.poll(() => row('paintCell').innerText()).toContain('-');
    await expect.poll(() => row('skipSpace').innerText()).toContain('+');
    await page.getByLabel('Search functions').fill('skipSpace');
    const found = page.locator('.search-result');
    await expect
      .poll(() => found.innerText())
      .toMatch(/33\.\d\d% before, 43\.\d\d% after matched · 1 ×/);
    await page.keyboard.press('Enter');
    await expect.poll(() => frame(page, 'paintCell').count()).toBe(0);
    expect(page.url()).toContain('zoom=');
  });
});
