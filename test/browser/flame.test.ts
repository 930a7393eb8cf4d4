import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

describeBrowser('the views of functions', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText());
  });
  const open = async (hash = '', name = 'paintCell') => {
    const { page } = await tab.visit(`${server.url}#${hash}`);
    await frame(page, name).waitFor();
    return page;
  };

  it('tabs begin with the heaviest function, and return to their place', async () => {
    const page = await open();
    const chart = page.locator('.chart');
    await chart.evaluate((box) => {
      box.style.flex = '0 0 60px';
    });
    await chart.evaluate((box) => box.scrollTo(0, 7));
    await page.getByRole('tab', { name: 'Source' }).click();
    await expect.poll(() => page.locator('.source-head h2').innerText()).toBe('skipSpace');
    await page.getByRole('tab', { name: 'Flame' }).click();
    await expect.poll(() => chart.evaluate((box) => box.scrollTop)).toBe(7);
  });

  it("a frame's menu hides, focuses and merges, and undoes it", async () => {
    const page = await open();
    const choose = async (name: string, item: RegExp) => {
      await frame(page, name).click({ button: 'right' });
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('parse', /^Hide samples with parse/);
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
    await page.locator('.chip').click();
    await frame(page, 'parse').waitFor();

    await choose('render', /^Focus on render/);
    await expect.poll(() => frame(page, 'handle').count()).toBe(0);
    await choose('paintCell', /^Merge DSO libdraw.so/);
    await expect.poll(() => frame(page, 'paintCell').count()).toBe(0);
    await page.goBack();
    await page.goBack();
    await frame(page, 'handle').waitFor();
  });

  it('the pane calls the heaviest function so until a person chooses it', async () => {
    const page = await open();
    const head = page.locator('.chosen-head');
    await expect.poll(() => head.innerText()).toMatch(/^Heaviest:\s+skipSpace/);
    await page.locator('.where-row').first().click();
    await expect.poll(() => head.innerText()).toMatch(/^skipSpace/);
    await page.goBack();
    await expect.poll(() => head.innerText()).toMatch(/^Heaviest:\s+skipSpace/);
  });

  it('a search steps through its matches', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('/^(paintCell|memcpy)$/');
    const result = page.locator('.search-result');
    // Both of one thread, one of the other.
    await expect.poll(() => result.innerText()).toMatch(/matched · 3 ×/);
    await page.keyboard.press('Enter');
    await expect.poll(() => result.innerText()).toMatch(/1 of 3/);
    // The cursor goes there, and nothing is zoomed into.
    const cursor = page.locator('.frame.cursor');
    await expect.poll(() => cursor.getAttribute('name')).toMatch(/paintCell|memcpy/);
    expect(new URL(page.url()).hash).not.toContain('zoom=');
    await page.getByRole('button', { name: 'Previous match' }).click();
    await expect.poll(() => result.innerText()).toMatch(/3 of 3/);
    await page.getByRole('button', { name: 'Next match' }).click();
    await expect.poll(() => result.innerText()).toMatch(/1 of 3/);
    // Which of them it is is in the address.
    await page.reload();
    await expect.poll(() => result.innerText()).toMatch(/1 of 3/);
  });

  it('an empty flame graph gives the reason, and a way back', async () => {
    const { page } = await tab.visit(`${server.url}#range=950000000-1000000000`);
    await page.getByText('No sample of cpu-clock is left: from 0.950 s to 1.000 s').waitFor();
    await page.getByRole('button', { name: 'Show all samples' }).click();
    await frame(page, 'paintCell').waitFor();
  });

  it('list functions, sort them, and show who calls one and what it calls', async () => {
    const { page } = await tab.visit(`${server.url}#tab=table`);
    const names = page.locator('.data-table .name');
    await expect.poll(() => names.first().innerText()).toBe('skipSpace');
    await page.getByRole('button', { name: 'Total' }).press('Enter');
    await expect.poll(() => names.first().innerText()).toBe('main');
    // The table is drawn anew, and whoever goes by keys stays where they were.
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Total/);
    await page.getByLabel('Filter rows').fill('no such function');
    await page.getByText('No row matches no such function.').waitFor();
    await page.getByLabel('Filter rows').fill('libdraw');
    await expect.poll(() => names.allInnerTexts()).toStrictEqual(['paintCell']);
    await names.first().click();
    await expect
      .poll(() => page.locator('.sandwich-title').innerText())
      .toMatch(/^paintCell: self 25\.00%/);
    await frame(page, 'render').click();
    await expect
      .poll(() => page.locator('.sandwich-title').innerText())
      .toMatch(/^render: self 0\.00%, total 50\.00%/);
    await page.getByRole('button', { name: 'DSOs' }).click();
    await page.getByLabel('Filter rows').fill('');
    await expect.poll(() => names.allInnerTexts()).toContain('libdraw.so');
  });

  it('views of functions open the call tree branch by branch', async () => {
    const { page } = await tab.visit(`${server.url}#tab=tree&roots=none`);
    const names = page.locator('.call-tree .name');
    // What most is spent in is open already.
    await expect.poll(() => names.allInnerTexts()).toContain('render');
    await page.locator('.call-tree tr', { hasText: 'render' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => names.allInnerTexts()).toContain('paintCell');
    // Open rows are in the address.
    await page.reload();
    await expect.poll(() => names.allInnerTexts()).toContain('paintCell');
    await page.locator('.call-tree tr', { hasText: 'render' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => names.allInnerTexts()).not.toContain('paintCell');
  });

  it('the source view of a text says that no line is known, and nothing of how exact lines are', async () => {
    const { page } = await tab.visit(`${server.url}#tab=source&func=0`);
    const panel = page.locator('#panel');
    await expect.poll(() => panel.innerText()).toContain('No line of this function is known');
    expect(await panel.innerText()).not.toContain('precise level');
  });
});
