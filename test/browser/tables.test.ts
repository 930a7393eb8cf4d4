import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText, sample } from './recording-text.ts';
import { serveTexts } from './served.ts';

/** Gives the open view a box that its rows do not fit into. */
async function makeLow(page: Page): Promise<void> {
  await page.locator('#panel').evaluate((panel) => {
    panel.style.height = '300px';
  });
}

const scrollTopOf = (page: Page) => page.locator('.table-box').evaluate((box) => box.scrollTop);

/** The table as it is drawn; places of rows are from 1, 0: none. */
type TableLook = {
  readonly drawn: number;
  readonly all: number;
  readonly focused: number;
  readonly stops: readonly number[];
  readonly chosen: readonly number[];
  readonly isHeadingOnTop: boolean;
  readonly isFocusSeen: boolean;
};

describeBrowser('the views of rows', (tab) => {
  let server: ViewServer;
  let many: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText({ slow: 30 }), recordingText());
    const functions = Array.from({ length: 700 }, (_, i) =>
      sample('app', 1, 1, i, [`f${i} (/usr/bin/app)`]),
    );
    many = await serveTexts(functions.join('\n'));
  });
  const visit = async (hash: string, expectedErrors = /^$/) =>
    (await tab.visit(`${server.url}#${hash}`, { expectedErrors })).page;

  it('the table turns a comparison upside down, and sorts its changes', async () => {
    const page = await visit('tab=diff');
    await frame(page, 'paintCell').waitFor();
    const top = async (name: string) =>
      (await frame(page, name).locator('rect').boundingBox())?.y ?? Number.NaN;
    expect(await top('render')).toBeLessThan(await top('paintCell'));
    await page.getByRole('button', { name: 'Root below' }).click();
    await expect.poll(async () => (await top('render')) > (await top('paintCell'))).toBe(true);
    const names = page.locator('.diff-table .name');
    await page
      .locator('.diff-table')
      .getByRole('button', { name: /^Function/ })
      .press('Enter');
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
    // A click zooms, and the key goes back out.
    await frame(page, 'parse').click();
    await expect.poll(() => frame(page, 'render').count()).toBe(0);
    await page.keyboard.press('Escape');
    await frame(page, 'render').waitFor();
  });

  it('names of functions are whole as long as their places can give way', async () => {
    const folders = Array.from({ length: 12 }, (_, i) => '/folder'.repeat(i + 4));
    const functions = folders.map((folder, i) =>
      sample('node', 1, 1, i, [`send ${folder}/file.js:${i} (/usr/bin/node)`]),
    );
    const long = await serveTexts(functions.join('\n'));
    const { page } = await tab.visit(`${long.url}#tab=table`, { width: 1280, height: 800 });
    const names = page.locator('.data-table .name-cell > .name');
    await expect.poll(() => names.count()).toBe(folders.length);
    const missing = await names.evaluateAll((all) =>
      all.map((name) => {
        const { width } = name.getBoundingClientRect();
        name.style.flex = 'none';
        return name.getBoundingClientRect().width - width;
      }),
    );
    expect(missing).toEqual(folders.map(() => 0));
  });

  it('the table leads from a function to its callers and callees by keys', async () => {
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

  it('the table reports that a chosen function is in none of the samples left', async () => {
    const page = await visit('tab=table');
    await page.locator('.data-table tr', { hasText: 'skipSpace' }).click();
    const { hash } = new URL(page.url());
    const func = new URLSearchParams(hash.slice(1)).get('func');
    await page.goto(`${server.url}#tab=table&func=${func}&range=1950000000-1999000000`);
    await expect
      .poll(() => page.locator('.sandwich').innerText())
      .toContain('It is in none of the samples shown.');
  });

  it('a table of functions has the rows in view in the document, and keys go to all of them', async () => {
    const { page } = await tab.visit(`${many.url}#tab=table`);
    // In one step: the rows are drawn anew while keys are pressed.
    const look = () =>
      page.evaluate<TableLook>(`(() => {
        const place = (row) => Number(row?.getAttribute('aria-rowindex') ?? 0) - 1;
        const rows = [...document.querySelectorAll('.data-table tbody tr')];
        const table = document.querySelector('.data-table');
        const box = document.querySelector('.table-box').getBoundingClientRect();
        return {
          drawn: rows.length,
          all: table === null ? 0 : Number(table.getAttribute('aria-rowcount')) - 1,
          focused: place(document.activeElement.closest('tr')),
          stops: rows.filter((row) => row.tabIndex === 0).map(place),
          chosen: rows.filter((row) => row.matches('[aria-selected="true"]')).map(place),
          isHeadingOnTop: table?.querySelector('th').getBoundingClientRect().top === box.top,
          isFocusSeen: document.activeElement.getBoundingClientRect().bottom < box.bottom + 1,
        };
      })()`);
    const goTo = async (key: string, place: number) => {
      await page.keyboard.press(key);
      await expect.poll(async () => (await look()).focused, { message: key }).toBe(place);
      const { drawn, stops, isHeadingOnTop, isFocusSeen } = await look();
      expect({ stops, isHeadingOnTop, isFocusSeen }, key).toStrictEqual({
        stops: [place],
        isHeadingOnTop: true,
        isFocusSeen: true,
      });
      expect(drawn, key).toBeLessThan(100);
    };
    await expect.poll(async () => (await look()).all).toBeGreaterThan(600);
    const { all } = await look();
    await makeLow(page);
    await page.locator('.data-table tbody tr').first().focus();
    await goTo('ArrowDown', 2);
    await page.keyboard.press('PageDown');
    const step = (await look()).focused - 2;
    expect(step).toBeGreaterThan(2);
    await goTo('PageDown', 2 + 2 * step);
    await goTo('PageUp', 2 + step);
    await goTo('End', all);
    await goTo('ArrowUp', all - 1);
    await goTo('Home', 1);
    await goTo('End', all);
    // The row that has the focus stays when it is scrolled out of view, and keys go on from it.
    const inView = page.locator('.data-table tbody tr:not(.is-away)');
    for (const [top, place] of [
      [0, 1],
      [1e9, all],
      [0, 1],
    ]) {
      await page.locator('.table-box').evaluate((box, to) => box.scrollTo(0, to), top);
      await inView.and(page.locator(`[aria-rowindex="${place + 1}"]`)).waitFor();
      expect((await look()).focused, `scrolled to ${top}`).toBe(all);
    }
    await goTo('ArrowUp', all - 1);
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await look()).chosen).toStrictEqual([all - 1]);
    expect((await look()).focused).toBe(all - 1);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.sandwich').isVisible()).toBe(false);
    expect(await look()).toMatchObject({ chosen: [], focused: all - 1 });
    await page.goBack();
    await expect.poll(async () => (await look()).chosen).toStrictEqual([all - 1]);
  });

  it.each([
    [400, 800],
    [320, 640],
  ])('the views of rows fit into a window %i pixels wide', async (width, height) => {
    const { page } = await tab.visit(`${server.url}#tab=table&func=0`, { width, height });
    await page.locator('.data-table tbody tr').first().waitFor();
    const inside = (name: string) =>
      page
        .locator(name)
        .evaluateAll(
          (all, most) => all.every((one) => one.getBoundingClientRect().right <= most),
          width,
        );
    for (const part of ['.data-table', '.data-table .name', '.tables input', '.sandwich button']) {
      expect([part, await inside(part)]).toStrictEqual([part, true]);
    }
    const sideways = (name: string) =>
      page.locator(name).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(await sideways('.table-box')).toBe(0);
  });

  it('Ctrl-F finds rows that are not in the document, and another list begins at its top', async () => {
    const { page } = await tab.visit(`${many.url}#tab=table`);
    const rows = page.locator('.data-table tbody tr');
    await rows.first().waitFor();
    const last = page.locator('.data-table .name', { hasText: /^f699$/ });
    expect(await last.count()).toBe(0);
    await page.locator('.table-box').evaluate((box) => box.scrollTo(0, 9000));
    await page.keyboard.press('Control+f');
    await page.keyboard.type('/^f699$/');
    await expect.poll(() => last.count()).toBe(1);
    await page.getByLabel('Filter rows').fill('f');
    await expect.poll(() => rows.first().getAttribute('aria-rowindex')).toBe('2');
    expect(await scrollTopOf(page)).toBe(0);
  });

  it('the call tree is walked by keys, opens a menu, and leads to the flame graph', async () => {
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

  it('the table reports that no function is left, and shows the hottest again', async () => {
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

  it('the source view shows the form of the code that was chosen last, however fast', async () => {
    // A text has no machine code.
    const page = await visit('tab=source&func=0', /404/);
    const panel = page.locator('#panel');
    await expect.poll(() => panel.innerText()).toContain('No line of this function is known');
    for (const key of ['a', 'a', 'a']) await page.keyboard.press(key);
    await expect.poll(() => new URL(page.url()).hash).not.toContain('code=');
    await expect.poll(() => panel.innerText()).toContain('No line of this function is known');
  });
});
