// How much of the window is the view, and what moves while a recording is being loaded.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeBrowser } from './browser.ts';
import {
  foldedText,
  nodeServer,
  offCpu,
  pageFaults,
  systemWide,
  tsxScript,
} from './kinds-of-recordings.ts';
import { serveTexts } from './served.ts';

const heightOf = async (page: Page, selector: string) =>
  (await page.locator(selector).boundingBox())?.height ?? 0;

/**
 * All shifts since the page began: the browser keeps those from before it was asked. Nothing is reported where
 * nothing moved, so the page is moved in the end: when that is reported, all that was before it is as well.
 */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  const movedAt = performance.now();
  new PerformanceObserver((list) => {
    for (const { startTime, value } of list.getEntries()) {
      if (startTime >= movedAt) resolve(sum);
      else sum += value;
    }
  }).observe({ type: 'layout-shift', buffered: true });
  document.body.style.paddingTop = '100px';
})`;

describeBrowser('the room of the view', (tab) => {
  it.each([
    ['a server of Node', nodeServer],
    ['a script by tsx', tsxScript],
    ['C with page faults', pageFaults],
    ['the whole machine', systemWide],
    ['waits beside ticks', offCpu],
    ['folded text', foldedText],
  ])('the view has 0.7 of 1280 by 720, and nothing moves on loading: %s', async (_, text) => {
    const { page } = await tab.visit((await serveTexts(text())).url);
    await page.locator('.frame').first().waitFor();
    await page.locator('.where-row').first().waitFor();
    await page.locator('.legend-entry').first().waitFor();
    await page.locator('.trust-badge:not(:empty)').waitFor();
    const around = ['.head-bar', '.tracks', '.tab-bar', '.status-line'];
    const heights = await Promise.all(around.map((selector) => heightOf(page, selector)));
    expect(heights.reduce((sum, height) => sum + height, 0)).toBeLessThanOrEqual(160);
    const below = (await heightOf(page, '.work')) - (await heightOf(page, '.tracks'));
    expect(below / 720).toBeGreaterThanOrEqual(0.7);
    const status = await page.locator('.status-line').boundingBox();
    expect(status!.y + status!.height).toBe(720);
    expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThanOrEqual(0.05);
  });

  it.each([
    ['a server of Node', 400, 800, nodeServer],
    ['waits beside ticks', 400, 800, offCpu],
    ['the whole machine', 400, 800, systemWide],
    ['folded text', 400, 800, foldedText],
    ['a server of Node', 320, 640, nodeServer],
    ['a server of Node', 640, 360, nodeServer],
  ])('nothing moves on loading in a small window: %s, %i by %i', async (_, width, height, text) => {
    const { page } = await tab.visit((await serveTexts(text())).url, { width, height });
    await page.locator('.frame').first().waitFor({ state: 'attached' });
    await page.locator('.where-row').first().waitFor({ state: 'attached' });
    await page.locator('.legend-entry').first().waitFor({ state: 'attached' });
    await page.locator('.trust-badge:not(:empty)').waitFor({ state: 'attached' });
    expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThanOrEqual(0.05);
  });

  it('content that comes late moves the view, and the measurement sees it', async () => {
    const { page } = await tab.visit((await serveTexts(nodeServer())).url);
    await page.locator('.where-row').first().waitFor();
    await page.evaluate(`new Promise((resolve) => {
      document.querySelector('.tab-bar').style.marginTop = '200px';
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    })`);
    expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeGreaterThan(0.05);
  });

  it.each([
    [640, 360],
    [400, 800],
    [320, 640],
  ])('a window of %i by %i is never scrolled sideways', async (width, height) => {
    const server = await serveTexts(nodeServer(), tsxScript());
    const tabs = ['flame', 'table', 'tree', 'time', 'source', 'period', 'diff'];
    // The source files of these recordings are nowhere.
    const options = { width, height, expectedErrors: /404/ };
    const { page } = await tab.visit(`${server.url}#tab=flame`, options);
    await page.locator('.frame').first().waitFor();
    const panel = (await page.locator('#panel').boundingBox())!;
    if (height < 500) {
      // Half of the window and more is the graph.
      expect(panel.y).toBeLessThan(height / 2);
    } else {
      const list = (await page.locator('.where-list').boundingBox())!;
      expect(list.y).toBeLessThan(Math.min(panel.y, height / 2));
    }
    for (const id of tabs) {
      await page.locator(`#tab-${id}`).click();
      await page.locator(`#tab-${id}[aria-selected="true"]`).waitFor();
      const wider = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate(wider), id).toBe(0);
    }
  });

  it('no part of a view is squeezed to nothing in a window of 640 by 360', async () => {
    const server = await serveTexts(nodeServer(), tsxScript());
    const options = { width: 640, height: 360, expectedErrors: /404/ };
    const { page } = await tab.visit(`${server.url}#tab=table`, options);
    await page.locator('.data-table tbody tr').first().click();
    await page.locator('.sandwich .frame').first().waitFor({ state: 'attached' });
    for (const part of ['.table-box', '.sandwich-body']) {
      expect(await heightOf(page, part), part).toBeGreaterThan(80);
    }
    await page.locator('#tab-source').click();
    await expect.poll(() => heightOf(page, '.code-box')).toBeGreaterThan(80);
    await page.locator('#tab-diff').click();
    await page.locator('.diff-table tbody tr').first().waitFor({ state: 'attached' });
    expect(await heightOf(page, '.diff-table')).toBeGreaterThan(80);
  });

  it('Escape closes a menu, and the next one takes the zoom back', async () => {
    const { page } = await tab.visit((await serveTexts(nodeServer())).url);
    await page.locator('.frame[name^="score "]').click();
    const zoomed = page.locator('.crumb[aria-current]', { hasText: 'score' });
    await zoomed.waitFor();
    for (const menu of await page.locator('.menu-button').all()) {
      await menu.focus();
      await page.keyboard.press('Enter');
      await page.locator('.popover:popover-open').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('.popover:popover-open').count()).toBe(0);
      expect(await zoomed.count()).toBe(1);
    }
    await page.keyboard.press('Escape');
    await zoomed.waitFor({ state: 'detached' });
  });

  it('the keyboard reaches the view by the first link, or within 15 stops', async () => {
    const { page } = await tab.visit((await serveTexts(nodeServer())).url);
    await page.locator('.frame').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    let stops = 0;
    while (!(await page.evaluate('document.activeElement.closest("#panel") !== null'))) {
      await page.keyboard.press('Tab');
      stops++;
      expect(stops).toBeLessThanOrEqual(15);
    }
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('panel');
  });
});
