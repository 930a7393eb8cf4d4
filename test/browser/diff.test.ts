import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser } from './browser.ts';
import { sample } from './recording-text.ts';
import { serveSides, serveTexts } from './served.ts';

/** A program that parses for 600 ms and then renders: each `perf script` sample stands for 1 ms. */
function program(renderMs: number): string {
  const lines = Array.from({ length: 600 + renderMs }, (_, ms) => {
    const work = ms < 600 ? 'parse_json (/srv/app)' : 'render (/srv/app)';
    return sample('app', 100, 100, ms, [work, 'main (/srv/app)']);
  });
  return lines.join('\n');
}

describeBrowser('the comparison of a program that became slower', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(program(1880), program(790));
  });
  const row = (page: Page, name: string) =>
    page.locator('.diff-table tbody tr').filter({ hasText: name });
  const visit = async (hash = '') => {
    const { page } = await tab.visit(`${server.url}${hash}`, { width: 1280, height: 720 });
    await row(page, 'render').waitFor();
    return page;
  };

  it('the diff shows by how much and in which function in the first window', async () => {
    const page = await visit();
    await expect
      .poll(() => page.locator('.diff-summary').innerText())
      .toMatch(/CPU time 1\.39 s → 2\.48 s, \+1\.09 s \(\+78%\)/);
    const first = page.locator('.diff-table tbody tr').first();
    await expect.poll(() => first.innerText()).toMatch(/\+1\.09 s\s.*render/s);
    const box = await first.boundingBox();
    expect(box!.y + box!.height).toBeLessThan(720);
    const unchanged = row(page, 'parse_json');
    expect(await unchanged.innerText()).toMatch(/^0\s+0%\s+600\.0 ms\s+600\.0 ms/);
    expect(await unchanged.locator('.less-here, .more-here').count()).toBe(0);
  });

  it('the diff compares per second or shares where that is asked for, and the address has it', async () => {
    const page = await visit();
    await page.locator('.diff').getByRole('button', { name: 'Share' }).click();
    const unchanged = row(page, 'parse_json');
    await expect.poll(() => unchanged.innerText()).toMatch(/-18\.\d\d points/);
    expect(page.url()).toContain('diffBy=share');
    await page.keyboard.press('b');
    await page.keyboard.press('b');
    await expect.poll(() => page.url()).toContain('diffBy=second');
    await expect
      .poll(() => page.locator('.diff-summary').innerText())
      .toContain('CPU time per second');
    await page.reload();
    await expect.poll(() => row(page, 'render').innerText()).toContain('ms/s');
  });

  it('a row leads to callers and source, by keys as well', async () => {
    const page = await visit();
    await row(page, 'render').focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('tr[aria-selected=true] .name').innerText())
      .toBe('render');
    await page.keyboard.press('u');
    await expect.poll(() => page.locator('.sandwich h2').innerText()).toContain('render');
    await page.goBack();
    await page.locator('tr[aria-selected=true]').waitFor();
    await page.keyboard.press('s');
    await expect.poll(() => page.locator('.source-head').innerText()).toContain('render');
  });
});

describeBrowser('the comparison of several runs a side', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const now = [1880, 1820, 1850].map(program);
    server = await serveSides(now, [790, 830, 810].map(program));
  });

  it('the diff of several runs shows the means, and what is certain in spite of how far runs differ', async () => {
    const { page } = await tab.visit(server.url, { width: 1280, height: 720 });
    const summary = page.locator('.diff-summary');
    await expect
      .poll(() => summary.innerText())
      .toMatch(/CPU time 1\.41 s → 2\.45 s, \+1\.04 s \(\+74%\) between/);
    expect(await summary.innerText()).toMatch(
      /mean of recording-3\.txt, recording-4\.txt, recording-5\.txt \(4.230 samples, 1\.4\d s each\)/,
    );
    const first = page.locator('.diff-table tbody tr').first();
    expect(await first.innerText()).toMatch(/\+1\.04 s\s.*render/s);
    // A part of the shown one is not mixed with all of the others.
    await page.locator('.frame[name="render"]').first().waitFor();
    await page.goto(`${page.url().replace(/#.*/, '')}#tab=diff&range=0-600000000`);
    await expect.poll(() => summary.innerText()).toContain('others of its side are left out');
    expect(await summary.innerText()).toContain('after: recording-0.txt (600 samples');
  });
});
