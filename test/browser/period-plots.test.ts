// The plots of the sampling period: one axis of time with the tracks, values by pointer and keys.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import type { ViewServer } from '../../src/view/server.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { colourProbe, describeBrowser, stateOf } from './browser.ts';
import { serveFile } from './served.ts';

const faults = newAttr({
  type: PERF_TYPE.SOFTWARE,
  config: BigInt(PERF_COUNT_SW.PAGE_FAULTS),
  samplePeriod: 1000,
  sampleType:
    PERF_SAMPLE.IDENTIFIER |
    PERF_SAMPLE.IP |
    PERF_SAMPLE.TID |
    PERF_SAMPLE.TIME |
    PERF_SAMPLE.PERIOD,
  flags: { freq: true, sampleIdAll: true },
});

const MS = 1_000_000;
/** A sample each millisecond, with a pause of 100 ms in the middle; the period is 50, once 70. */
const TIMES_MS = Array.from({ length: 200 }, (_, i) => (i < 100 ? i : i + 100));
const END_NS = 299 * MS;

const records = TIMES_MS.map((ms) =>
  record(PERF_RECORD.SAMPLE, 2, (out) => {
    out.u64(1).u64(0x1000).u32(7).u32(7);
    out.u64(1e9 + ms * MS).u64(ms === 1 ? 70 : 50);
  }),
);

const stateIn = async (page: Page, key: string) => (await stateOf(page)).get(key);

/** Columns of the canvas, by their moment as a share of the axis, that have its colour of lines. */
const drawnShares = (page: Page) =>
  page.evaluate<number[]>(`{
    const canvas = document.querySelector('.period-plots canvas');
    const area = document.querySelector('.plot-area');
    const isOf = ${colourProbe('samples')};
    const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const columns = new Set();
    for (let at = 0; at < data.length; at += 4) {
      if (isOf(data, at)) columns.add((at / 4) % width);
    }
    const ratio = devicePixelRatio;
    [...columns].map((x) => (x / ratio - area.offsetLeft) / area.clientWidth).sort((a, b) => a - b);
  }`);

describeBrowser('the plots of the sampling period', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const path = join(scratchDirectory(), 'perf.data');
    writeFileSync(path, perfDataFile({ attrs: [{ attr: faults, ids: [1] }], records }));
    server = await serveFile(path);
  });
  const visit = async (options = {}, more = '') => {
    const { page } = await tab.visit(`${server.url}#tab=period${more}`, options);
    const plots = page.getByRole('slider', { name: 'samples per second' });
    await plots.scrollIntoViewIfNeeded();
    await expect.poll(() => plots.getAttribute('aria-valuetext')).not.toBeNull();
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      if (box === null) throw new Error(`${selector} is not drawn`);
      return box;
    };
    const reported = () => plots.getAttribute('aria-valuetext');
    return { page, plots, boxOf, reported };
  };

  it.each([
    ['a wide window', 1280, 720],
    ['one without the side panel', 800, 600],
    ['a phone', 400, 800],
  ])('plots stand below the same times of the ruler, in %s', async (_, width, height) => {
    const { page, plots, boxOf } = await visit({ width, height });
    const ruler = await boxOf('.ruler');
    const area = await boxOf('.plot-area');
    expect([area.x, area.width]).toStrictEqual([ruler.x, ruler.width]);
    const x = Math.round(ruler.x + ruler.width / 4);
    await page.mouse.move(x, area.y + 20);
    const shown = async () => Number(await plots.getAttribute('aria-valuenow')) * 1e9;
    const expected = ((x - ruler.x) / ruler.width) * (END_NS + 1);
    await expect.poll(shown).toBeGreaterThan(expected - END_NS / ruler.width);
    expect(await shown()).toBeLessThan(expected + END_NS / ruler.width);
  });

  it('draw nothing through a time without samples, and redraw in another theme', async () => {
    const { page } = await visit();
    const pauseOf = (shares: readonly number[]) =>
      shares.filter((share) => share > 105 / 299 && share < 195 / 299);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(async () => (await drawnShares(page)).length).toBeGreaterThan(300);
      const shares = await drawnShares(page);
      expect(pauseOf(shares)).toStrictEqual([]);
      expect(shares[0]).toBeCloseTo(0, 2);
      expect(shares.at(-1)).toBeCloseTo(1, 2);
    }
  });

  it('plots read out their values by keys, in words that are spoken', async () => {
    const { page, plots, reported } = await visit();
    expect(await reported()).toMatch(/arrow keys/);
    await plots.focus();
    await page.keyboard.press('Home');
    await expect
      .poll(reported)
      .toMatch(/^0\.0000 s: period 50 events, .* samples per second, .* events per second/);
    await page.keyboard.press('ArrowRight');
    await expect.poll(reported).toMatch(/^0\.0010 s: period 70 events/);
    expect(await page.locator('.plot-readout').innerText()).toBe(await reported());
    await page.keyboard.press('ArrowLeft');
    await expect.poll(reported).toMatch(/^0\.0000 s: period 50/);
    await page.keyboard.press('End');
    await expect.poll(reported).toMatch(/^0\.2990 s: period 50/);
    await page.keyboard.press('Shift+ArrowLeft');
    // A tenth of the axis before the end.
    await expect.poll(reported).toMatch(/^0\.2690 s: period 50/);
    await page.keyboard.press('Escape');
    await expect.poll(reported).toMatch(/arrow keys/);
  });

  it('plots mark a time without samples as such', async () => {
    const { page, boxOf, reported } = await visit();
    const { x, y, width } = await boxOf('.plot-area');
    await page.mouse.move(x + width / 2, y + 20);
    await expect.poll(reported).toMatch(/^0\.1(49|50)\d s: no samples$/);
    await page.mouse.move(x - 20, y + 20);
    await expect.poll(reported).toMatch(/arrow keys/);
  });

  it('dragging takes a range of time, the wheel with Ctrl zooms the axis of all views', async () => {
    const { page, boxOf, plots } = await visit();
    const { x, y, width } = await boxOf('.plot-area');
    await page.mouse.move(x + width * 0.7, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.9, y + 20);
    await page.mouse.up();
    const [from = 0, to = 0] = ((await stateIn(page, 'range')) ?? '').split('-').map(Number);
    expect(from / END_NS).toBeCloseTo(0.7, 2);
    expect(to / END_NS).toBeCloseTo(0.9, 2);
    // Without Ctrl it is left to the browser, which scrolls what the plots lie in.
    await page.evaluate(
      "addEventListener('wheel', (event) => { window.wasTaken = event.defaultPrevented; })",
    );
    const wasTaken = () => page.evaluate<boolean | undefined>('window.wasTaken');
    await page.mouse.wheel(0, 30);
    await expect.poll(wasTaken).toBe(false);
    expect(await stateIn(page, 'ruler')).toBeNull();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(() => stateIn(page, 'ruler')).not.toBeNull();
    const [rulerFrom = 0] = ((await stateIn(page, 'ruler')) ?? '').split('-').map(Number);
    await expect
      .poll(async () => Number(await plots.getAttribute('aria-valuemin')))
      .toBeCloseTo(rulerFrom / 1e9, 5);
    expect(rulerFrom).toBeGreaterThan(0);
  });
});
