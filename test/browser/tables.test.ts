import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText, sample } from './recording-text.ts';
import { serveTexts } from './served.ts';

describeBrowser('the views of rows', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText({ slow: 30 }), recordingText());
  });
  const visit = async (hash: string, expectedErrors = /^$/) =>
    (await tab.visit(`${server.url}#${hash}`, { expectedErrors })).page;

  it('turn a comparison upside down, and sort its changes', async () => {
    const page = await visit('tab=diff');
    await frame(page, 'paintCell').waitFor();
    const top = async (name: string) =>
      (await frame(page, name).locator('rect').boundingBox())?.y ?? Number.NaN;
    expect(await top('render')).toBeGreaterThan(await top('paintCell'));
    await page.getByRole('button', { name: 'Icicle' }).click();
    await expect.poll(async () => (await top('render')) < (await top('paintCell'))).toBe(true);
    const names = page.locator('.table-box .name');
    await page.getByRole('button', { name: /^Function/ }).press('Enter');
    await expect
      .poll(() => names.allInnerTexts())
      .toStrictEqual([
        'handle',
        'main',
        'memcpy',
        'paintCell',
        'parse',
        'readToken',
        'render',
        'skipSpace',
      ]);
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Function/);
    // The crumbs are the path to the zoomed frame, and the key goes back out.
    await frame(page, 'parse').click();
    await expect.poll(() => page.locator('.crumb').allInnerTexts()).toContain('parse');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.crumb').count()).toBe(0);
  });

  it('go from a function to its callers and callees by keys', async () => {
    const page = await visit('tab=table');
    const title = page.locator('.sandwich-title');
    await page.locator('.data-table tr', { hasText: 'skipSpace' }).press('Enter');
    await expect.poll(() => title.innerText()).toMatch(/^skipSpace: self/);
    const callers = page.getByLabel('Callers. Arrow keys move');
    const spoken = page.locator('.sandwich .spoken');
    // The first key sets the cursor on the function, the next one goes up from it.
    for (const heard of [/^skipSpace/, /^parse/]) {
      await callers.press('ArrowUp');
      await expect.poll(() => spoken.textContent()).toMatch(heard);
    }
    await callers.press('Enter');
    await expect.poll(() => title.innerText()).toMatch(/^parse: self 0/);
    const callees = page.getByLabel('Callees. Arrow keys move');
    for (const heard of [/^parse/, /^skipSpace/]) {
      await callees.press('ArrowDown');
      await expect.poll(() => spoken.textContent()).toMatch(heard);
    }
    await callees.press('ArrowRight');
    await expect.poll(() => spoken.textContent()).toMatch(/^readToken/);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => title.isVisible()).toBe(false);
  });

  it('say that a chosen function is in none of the samples left', async () => {
    const page = await visit('tab=table');
    await page.locator('.data-table tr', { hasText: 'skipSpace' }).click();
    const { hash } = new URL(page.url());
    const func = new URLSearchParams(hash.slice(1)).get('func');
    await page.goto(`${server.url}#tab=table&func=${func}&range=1950000000-1999000000`);
    await expect
      .poll(() => page.locator('.sandwich').innerText())
      .toContain('It is in none of the samples shown.');
  });

  it('show more rows where there are many', async () => {
    const many = Array.from({ length: 250 }, (_, i) =>
      sample('app', 1, 1, i, [`f${i} (/usr/bin/app)`]),
    );
    const { url } = await serveTexts(many.join('\n'));
    const { page } = await tab.visit(`${url}#tab=table`);
    const rows = page.locator('.data-table tbody tr');
    await expect.poll(() => rows.count()).toBe(200);
    await page.getByRole('button', { name: 'More rows' }).click();
    await expect.poll(() => rows.count()).toBe(250);
    expect(await page.getByRole('button', { name: 'More rows' }).isVisible()).toBe(false);
    // Another list begins with the first rows again.
    await page.getByLabel('Filter rows').fill('f');
    await expect.poll(() => rows.count()).toBe(200);
  });

  it('go through the call tree by keys, open a menu, and lead to the flame graph', async () => {
    const page = await visit('tab=tree&roots=none');
    const names = page.locator('.call-tree .name');
    await expect.poll(() => names.allInnerTexts()).toContain('parse');
    const line = (name: string) => page.locator('.call-tree tr', { hasText: name });
    await line('main').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => names.allInnerTexts()).toStrictEqual(['main']);
    // Its branch is there already, with what was open below.
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => names.allInnerTexts()).toContain('parse');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(':focus').innerText()).toContain('handle');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.locator(':focus').innerText()).toContain('handle');
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Focus on handle' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator(':focus').innerText()).toContain('handle');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.crumb').allInnerTexts()).toContain('handle');
    // The back button shows the tree as it was.
    await page.goBack();
    await expect.poll(() => names.allInnerTexts()).toContain('parse');
  });

  it('say that no function is left, and show the hottest again', async () => {
    const page = await visit('tab=source&range=950000000-1000000000');
    const title = page.locator('.source-head h2');
    await expect.poll(() => title.innerText()).toBe('No function');
    await page.getByRole('button', { name: 'Show all samples' }).click();
    await expect.poll(() => title.innerText()).toBe('skipSpace');
    // With no function there is no form of it to choose.
    await page.goBack();
    await expect.poll(() => title.innerText()).toBe('No function');
    expect(await page.getByRole('button', { name: 'Assembly' }).count()).toBe(0);
  });

  it('show the form of the code that was chosen last, however fast', async () => {
    // A text has no machine code.
    const page = await visit('tab=source&func=0', /404/);
    const panel = page.locator('#panel');
    await expect.poll(() => panel.innerText()).toContain('No line of this function is known');
    for (const key of ['a', 'a', 'a']) await page.keyboard.press(key);
    await expect.poll(() => new URL(page.url()).hash).not.toContain('code=');
    await expect.poll(() => panel.innerText()).toContain('No line of this function is known');
  });
});
