// A search shows what it finds: in the tree, in the graph, and as a list.

import type { Locator } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser } from './browser.ts';
import { serveTexts } from './served.ts';

/** 60 callers deep; the function sought is the last of many below each. */
const deep = (name: string) =>
  ['main', ...Array.from({ length: 60 }, (_, i) => `level${i}`), name].join(';');

describeBrowser('a search', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const wide = Array.from({ length: 40 }, (_, i) => `main;other${i};leaf${i} 5`);
    server = await serveTexts([`${deep('wanted')} 3`, ...wide, 'main;unwanted 1'].join('\n'));
  });
  const visit = async (hash: string) => (await tab.visit(`${server.url}#${hash}`)).page;

  it('a search opens the tree down to its matches, and steps through them', async () => {
    const page = await visit('tab=tree&roots=none');
    await page.locator('.call-tree tbody tr').first().waitFor();
    await page.locator('#panel').evaluate((panel) => {
      panel.style.height = '320px';
    });
    await page.getByLabel('Search functions').fill('wanted');
    const found = page.locator('.call-tree tr.is-match');
    await expect.poll(() => found.locator('.name').allInnerTexts()).toContain('wanted');
    const isSeen = (line: Locator) =>
      line.evaluate((own) => {
        const { top, bottom } = own.closest('.table-box')!.getBoundingClientRect();
        const { top: ownTop, bottom: ownBottom } = own.getBoundingClientRect();
        return ownTop >= top && ownBottom <= bottom;
      });
    await expect.poll(() => isSeen(found.filter({ hasText: /^.*[^n]wanted/ }).first())).toBe(true);
    expect(await page.evaluate('window.scrollY')).toBe(0);
    const button = page.locator('button.search-result');
    await expect.poll(() => button.innerText()).toMatch(/2 ×/);
    await page.getByRole('button', { name: 'Next match' }).click();
    await expect.poll(() => button.innerText()).toMatch(/1 of 2/);
    await page.getByRole('button', { name: 'Next match' }).press('n');
    await expect.poll(() => button.innerText()).toMatch(/2 of 2/);
    await expect
      .poll(() => page.locator('tr:focus .name').allInnerTexts())
      .toStrictEqual(['unwanted']);
    expect(new URL(page.url()).hash).not.toContain('zoom=');
  });

  it('a search lists its matches with share and kind, and goes to the one chosen', async () => {
    const page = await visit('roots=none&search=/wanted|leaf.$/');
    const button = page.locator('button.search-result');
    await expect.poll(() => button.innerText()).toMatch(/12 ×/);
    await page.getByLabel('Search functions').press('ArrowDown');
    const list = page.getByRole('dialog', { name: 'Matches' });
    const lines = list.getByRole('button');
    await expect.poll(() => lines.count()).toBe(12);
    expect(await lines.first().innerText()).toMatch(/^2\.45%\s+leaf\d/);
    await page.keyboard.press('End');
    expect(await list.locator(':focus').innerText()).toMatch(/0\.49%\s+unwanted/);
    await page.keyboard.press('Escape');
    await expect.poll(() => list.isVisible()).toBe(false);
    await button.click();
    await lines.nth(10).click();
    await expect.poll(() => button.innerText()).toMatch(/11 of 12/);
    await expect.poll(() => page.locator('.frame.cursor').getAttribute('name')).toBe('wanted');
    expect(new URL(page.url()).hash).not.toContain('zoom=');
  });

  it('a search in the flame graph brings a match far down into view, and Enter zooms into it', async () => {
    const page = await visit('roots=none');
    await page.locator('.frame').first().waitFor();
    await page.getByLabel('Search functions').fill('/^wanted/');
    const box = page.locator('.chart').first();
    const isSeen = () =>
      box.evaluate((chart) => {
        const { top, bottom } = chart.getBoundingClientRect();
        const sought = chart.querySelector('.frame[name="wanted"]')?.getBoundingClientRect();
        // A box may end within a pixel, and scrolls by whole ones.
        return sought !== undefined && sought.top > top - 1 && sought.bottom < bottom + 1;
      });
    await expect.poll(isSeen).toBe(true);
    expect(await page.locator('.frame.cursor').count()).toBe(0);
    await box.evaluate((chart) => {
      chart.scrollTop = 0;
    });
    expect(await isSeen()).toBe(false);
    // In the field Enter steps; it zooms where the cursor has the keys.
    await page.keyboard.press('Tab');
    await page.keyboard.press('n');
    await expect.poll(isSeen).toBe(true);
    await expect.poll(() => page.locator('.frame.cursor').getAttribute('name')).toBe('wanted');
    expect(new URL(page.url()).hash).not.toContain('zoom=');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toContain('zoom=');
    // The tab that is opened next shows the same match.
    await page.keyboard.press('Backspace');
    await page.getByRole('tab', { name: 'Tree' }).click();
    const chosen = page.locator('.call-tree tr[aria-selected="true"] .name');
    await expect.poll(() => chosen.allInnerTexts()).toStrictEqual(['wanted']);
  });

  it('a search opens folded frames that a match is gone to in, and goes back to the whole for one that is not', async () => {
    const narrow = Array.from({ length: 60 }, (_, i) => `main;small${i};inner${i};tiny${i} 1`);
    const { url } = await serveTexts(['main;big;tiny 40000', ...narrow].join('\n'));
    const { page } = await tab.visit(`${url}#roots=none&search=/tiny(7)?$/`);
    const button = page.locator('button.search-result');
    await expect.poll(() => button.innerText()).toMatch(/2 ×/);
    const cursor = () => page.locator('.frame.cursor').getAttribute('name');
    const zoom = () => new URL(page.url()).hash.includes('zoom=');
    const next = page.getByRole('button', { name: 'Next match' });
    await next.click();
    await expect.poll(() => button.innerText()).toMatch(/1 of 2/);
    await expect.poll(cursor).toBe('tiny');
    expect(zoom()).toBe(false);
    await next.click();
    await expect.poll(() => button.innerText()).toMatch(/2 of 2/);
    await expect.poll(cursor).toBe('tiny7');
    expect(zoom()).toBe(true);
    await next.click();
    await expect.poll(cursor).toBe('tiny');
    expect(zoom()).toBe(false);
    await page.goBack();
    await expect.poll(cursor).toBe('tiny7');
    // Who zooms out stays out.
    await page.locator('.chart').first().focus();
    await page.keyboard.press('Escape');
    await expect.poll(zoom).toBe(false);
    await page.locator('.frame[name="big"]').waitFor();
  });

  it.each([320, 400, 640, 700, 900, 1024, 1280])(
    'a search moves nothing in the tab bar of a window of %i pixels, which holds all of it',
    async (width) => {
      const { page } = await tab.visit(`${server.url}#roots=none`, { width });
      await page.locator('.frame').first().waitFor();
      const places = () =>
        page.locator('.tab-bar').evaluate((bar) =>
          [...bar.querySelectorAll('[role="tab"], .switcher button, .menu-button, .search')].map(
            (part) => {
              const { left, right, top } = part.getBoundingClientRect();
              return { left, right, top };
            },
          ),
        );
      const before = await places();
      await page.getByLabel('Search functions').fill('e');
      const result = page.locator('.search-result');
      await expect.poll(() => result.innerText()).toMatch(/matched/);
      expect(await places()).toStrictEqual(before);
      expect(before.filter(({ left, right }) => left < 0 || right > width)).toStrictEqual([]);
      const field = await page.getByLabel('Search functions').boundingBox();
      expect(field!.x + field!.width).toBeLessThanOrEqual(width);
      expect(field!.width).toBeGreaterThan(60);
    },
  );

  it('a search for an expression that could take for ever leaves the page alive', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `main;${'a'.repeat(200)}${i}! 1`);
    const { url } = await serveTexts(names.join('\n'));
    const { page } = await tab.visit(`${url}#roots=none`);
    const field = page.getByLabel('Search functions');
    await field.fill('/(a+)+$/');
    const button = page.locator('button.search-result');
    await expect.poll(() => button.innerText()).toBe('no match');
    await field.fill('/(a+)+(?=!)/');
    await expect.poll(() => button.innerText()).toMatch(/^nothing found: .*not searched$/);
    await field.fill('/(?:){10000000000000}(a+)+$/');
    await expect.poll(() => button.innerText()).toBe('no match');
    await field.fill('19!');
    await expect.poll(() => button.innerText()).toMatch(/5\.00% matched · 1 ×/);
  });
});
