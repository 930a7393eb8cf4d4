import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, stateOf } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

/** Pixels. */
const ROW = 19;

/** Of the page itself: the browser tells its driver of a new address later. */
const hashOf = (page: Page) => page.evaluate<string>('location.hash');
const spanOf = async (page: Page, key: 'range' | 'ruler') =>
  (await stateOf(page))
    .get(key)
    ?.split('-')
    .map((ns) => Number(ns) / 1e9) ?? [];

/** Where the chart shows a moment of a window, in the middle of a row. */
async function placeOf(
  page: Page,
  seconds: number,
  row: number,
  [from, to]: readonly [number, number],
): Promise<{ x: number; y: number }> {
  const box = await page.locator('.chart-scroll').boundingBox();
  if (box === null) throw new Error('there is no chart');
  return {
    x: box.x + ((seconds - from) / (to - from)) * box.width,
    y: box.y + (row + 0.5) * ROW,
  };
}

/** What the tooltip is headed by at a moment; null: there is none. */
async function nameAt(
  page: Page,
  seconds: number,
  row: number,
  window: readonly [number, number],
): Promise<string | null> {
  const { x, y } = await placeOf(page, seconds, row, window);
  await page.mouse.move(x, y);
  const tooltip = page.locator('.tooltip:visible .tooltip-name');
  return (await tooltip.count()) === 0 ? null : tooltip.innerText();
}

/** The colour of the canvas at a place of the window, as `r,g,b,a`. */
const colourAt = (page: Page, { x, y }: { x: number; y: number }) =>
  page.evaluate<string>(`(() => {
    const canvas = document.querySelector('.chart-canvas');
    const { left, top } = canvas.getBoundingClientRect();
    const at = [${x} - left, ${y} - top].map((pixel) => Math.round(pixel * devicePixelRatio));
    return canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data.join();
  })()`);

/** The last sample is 1.999 s behind the first. */
const WHOLE = [0, 1.999] as const;

describeBrowser('the flame chart', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText());
  });

  async function open(hash = '', options = {}): Promise<Page> {
    const { page } = await tab.visit(`${server.url}#tab=time${hash}`, options);
    await page.locator('.chart-thread', { hasText: /\d/ }).waitFor();
    return page;
  }

  it('the chart shows what the busiest thread did, where it was on the axis of time', async () => {
    const page = await open();
    expect(await page.locator('.chart-thread').innerText()).toBe('server 101');
    for (const [row, first, second] of [
      [0, 'main', 'main'],
      [1, 'handle', 'handle'],
      [2, 'parse', 'render'],
    ] as const) {
      expect([
        await nameAt(page, 0.02, row, WHOLE),
        await nameAt(page, 0.88, row, WHOLE),
        await nameAt(page, 1, row, WHOLE),
        await nameAt(page, 1.12, row, WHOLE),
        await nameAt(page, 1.98, row, WHOLE),
      ]).toEqual([first, first, null, second, second]);
    }
    const colours = await Promise.all(
      [0.5, 1, 1.5].map(async (at) => colourAt(page, await placeOf(page, at, 0, WHOLE))),
    );
    // The gap shows what is behind the canvas.
    expect(colours[1]).toBe('0,0,0,0');
    expect(colours[0]).toBe(colours[2]);
    expect(colours[0].endsWith(',255')).toBe(true);
  });

  it('the details of a box show how long it took, and what of that nobody saw', async () => {
    const page = await open();
    await nameAt(page, 0.5, 0, WHOLE);
    const figures = await page.locator('.tooltip:visible').innerText();
    // Every fourth sample is the other thread's.
    expect(figures).toMatch(/lasts\s+89\d\.\d ms, of which 22\d\.\d ms not sampled/);
    expect(figures).toMatch(/samples\s+675/);
    expect(await page.locator('.chart-note').innerText()).toMatch(/exact to a sample: 1\.0 ms/);
  });

  it('a click selects the function, and a reload keeps it', async () => {
    const page = await open();
    const { x, y } = await placeOf(page, 1.5, 2, WHOLE);
    await page.mouse.click(x, y);
    await page.locator('.details-name').getByText('render').first().waitFor();
    const { func } = Object.fromEntries(await stateOf(page));
    expect(func).toMatch(/^\d+$/);
    await page.reload();
    await page.locator('.chart-thread', { hasText: /\d/ }).waitFor();
    expect((await stateOf(page)).get('func')).toBe(func);
  });

  it('the keyboard goes from box to box by keys, zooms in and back, and opens a menu', async () => {
    const page = await open();
    const spoken = page.locator('.chart-readout');
    const press = async (key: string, named: RegExp) => {
      await page.keyboard.press(key);
      await spoken.getByText(named).waitFor();
    };
    await page.locator('.chart-scroll').focus();
    await press('ArrowDown', /^main: 89\d\.\d ms/);
    await press('ArrowRight', /^main: .* from 1\.1\d+ s/);
    await press('ArrowDown', /^handle: /);
    await press('ArrowDown', /^render: /);
    await press('ArrowUp', /^handle: .* from 1\.1\d+ s/);
    await press('ArrowLeft', /^handle: .* from 0\.0\d+ s/);
    await page.keyboard.press('Enter');
    await expect.poll(() => hashOf(page)).toContain('range=');
    for (const key of ['range', 'ruler'] as const) {
      expect(await spanOf(page, key)).toEqual([expect.closeTo(0, 2), expect.closeTo(0.9, 2)]);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => hashOf(page)).not.toContain('range=');
    await page.keyboard.press('o');
    await page.getByRole('menuitem', { name: 'Focus on handle' }).click();
    await expect.poll(() => hashOf(page)).toContain('focus=');
  });

  it('a wheel zooms about the pointer, a double click to a box, a drag to what it spans', async () => {
    const page = await open();
    const at = await placeOf(page, 0.4, 1, WHOLE);
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -300);
    await expect.poll(() => hashOf(page)).toContain('ruler=');
    const [from = 0, to = 0] = await spanOf(page, 'ruler');
    expect(to - from).toBeCloseTo(1.999 * Math.exp(-0.6), 2);
    expect((0.4 - from) / (to - from)).toBeCloseTo(0.4 / 1.999, 2);
    expect(await spanOf(page, 'range')).toEqual([]);
    await page.keyboard.press('0');
    await expect.poll(() => hashOf(page)).not.toContain('ruler=');
    await expect.poll(() => nameAt(page, 1.5, 2, WHOLE)).toBe('render');
    const render = await placeOf(page, 1.5, 2, WHOLE);
    await page.mouse.dblclick(render.x, render.y);
    await expect.poll(() => hashOf(page)).toContain('range=11');
    await page.goBack();
    await expect.poll(() => nameAt(page, 0.5, 2, WHOLE)).toBe('parse');
    const [left, right] = [await placeOf(page, 0.2, 1, WHOLE), await placeOf(page, 0.6, 1, WHOLE)];
    await page.mouse.move(left.x, left.y);
    await page.mouse.down();
    await page.mouse.move((left.x + right.x) / 2, left.y);
    await page.mouse.move(right.x, right.y);
    await page.mouse.up();
    expect(await spanOf(page, 'range')).toEqual([expect.closeTo(0.2, 2), expect.closeTo(0.6, 2)]);
    expect(await spanOf(page, 'ruler')).toEqual([]);
    // The axis is that of the tracks.
    const [chart, tracks] = await Promise.all(
      ['.chart-area', '.ruler'].map((part) => page.locator(part).boundingBox()),
    );
    expect([chart?.x, chart?.width]).toEqual([tracks?.x, tracks?.width]);
  });

  it('another thread can be chosen', async () => {
    const page = await open();
    await page.locator('.time-mode select').selectOption({ index: 1 });
    await page.locator('.chart-thread', { hasText: 'worker 102' }).waitFor();
  });

  it('the heat map is the second picture of the tab, in the address', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Heat map' }).click();
    await page.locator('.heat-map[aria-label]').waitFor();
    expect(await page.locator('.flame-chart').isVisible()).toBe(false);
    await page.reload();
    await page.locator('.heat-map[aria-label]').waitFor();
    await page.getByRole('button', { name: 'Chart', exact: true }).click();
    await page.locator('.chart-thread', { hasText: 'server' }).waitFor();
    expect((await stateOf(page)).get('timeView')).toBeNull();
  });

  it.each([
    [1280, 720],
    [640, 360],
    [400, 800],
  ])('fits into a window of %i × %i', async (width, height) => {
    const page = await open('', { width, height });
    const chart = await page.locator('.chart-area').boundingBox();
    expect(chart?.height ?? 0).toBeGreaterThan(height / 5);
    expect(chart?.width ?? 0).toBeGreaterThan(width / 3);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
  });
});
