import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { colourProbe, describeBrowser, frame, stateOf } from './browser.ts';
import { recordingText, sample } from './recording-text.ts';
import { serveTexts } from './served.ts';

const rangeIn = async (page: Page, key: 'range' | 'ruler') =>
  (await stateOf(page)).get(key)?.split('-').map(Number) ?? null;

/** A place on the tracks, as shares of their width and height. */
async function placeOf(page: Page, x: number, y = 0.5): Promise<{ x: number; y: number }> {
  const box = await page.locator('.track-plot').boundingBox();
  if (box === null) throw new Error('there are no tracks');
  return { x: box.x + x * box.width, y: box.y + y * box.height };
}

/** Drags from one share of the width to another. */
async function drag(page: Page, from: number, to: number, y = 0.5): Promise<void> {
  const start = await placeOf(page, from, y);
  const end = await placeOf(page, to, y);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, start.y);
  await page.mouse.move(end.x, start.y);
  await page.mouse.up();
}

async function hover(page: Page, x: number): Promise<void> {
  const place = await placeOf(page, x);
  await page.mouse.move(place.x, place.y);
}

const label = (page: Page, name: string) => page.locator('.track-label', { hasText: name });
const pressed = (page: Page) => page.locator('.track-label[aria-pressed="true"]').allTextContents();

/** How many pixels of a track's row are of the colour of a style sheet's variable. */
const countPixels = (page: Page, row: number, variable: string) =>
  page.evaluate<number>(`{
    const canvas = document.querySelector('.track-plot canvas');
    const isOf = ${colourProbe(variable)};
    const height = canvas.height / document.querySelectorAll('.track-label').length;
    const top = ${row} * height;
    const { data } = canvas.getContext('2d').getImageData(0, top, canvas.width, height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (isOf(data, at)) count++;
    }
    count;
  }`);

describeBrowser('thread tracks in the page', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText());
  });

  it('dragging over the tracks selects a range in every view, until the back button', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'paintCell').waitFor();
    await drag(page, 0.55, 0.95);
    await frame(page, 'parse').waitFor({ state: 'detached' });
    expect(await frame(page, 'paintCell').count()).toBe(1);
    const [fromNs = 0, toNs = 0] = (await rangeIn(page, 'range')) ?? [];
    expect(fromNs / 1e9).toBeCloseTo(1.1, 1);
    expect(toNs / 1e9).toBeCloseTo(1.9, 1);
    await page
      .getByText(/^1\.\d+–1\.\d+ s \(\d+\.\d ms wall\): \d+\.\d ms CPU, \d+ samples$/)
      .waitFor();
    await page.goBack();
    await frame(page, 'parse').waitFor();
    expect(await rangeIn(page, 'range')).toBeNull();
    await page.goForward();
    await frame(page, 'parse').waitFor({ state: 'detached' });
  });

  it.each([
    [1280, 720],
    [640, 360],
  ])(
    'no control of the head lies in the ruler’s circle of 24 pixels: %i by %i',
    async (width, height) => {
      const { page } = await tab.visit(server.url, { width, height });
      await page.locator('.head-bar button').first().waitFor();
      const ruler = await page.locator('.ruler').boundingBox();
      const controls = await page.locator('.head-bar :is(button, select)').all();
      const ends = await Promise.all(
        controls.map(async (control) => {
          const box = await control.boundingBox();
          return box === null ? 0 : box.y + box.height;
        }),
      );
      expect(ruler!.y + ruler!.height / 2 - Math.max(...ends)).toBeGreaterThanOrEqual(12);
    },
  );

  it('a reload restores range, ruler and threads', async () => {
    const hash = '#thread=0&range=1100000000-1900000000&ruler=1000000000-2000000000';
    const { page } = await tab.visit(`${server.url}${hash}`);
    for (const _ of ['visited', 'reloaded']) {
      await page.getByText('1.100–1.900 s (800.0 ms wall): 200.0 ms CPU, 200 samples').waitFor();
      await label(page, 'worker').and(page.locator('[aria-pressed="true"]')).waitFor();
      expect(await page.locator('.ruler').getAttribute('aria-valuetext')).toBe(
        '1.100–1.900 s chosen, 1.000–1.999 s drawn',
      );
      await page.reload();
    }
  });

  it('a handle moves one edge of the range, a click takes the range back', async () => {
    const { page } = await tab.visit(`${server.url}#range=500000000-1500000000`);
    const handle = page.locator('.range-handle').last();
    const box = await handle.boundingBox();
    if (box === null) throw new Error('there is no handle');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width / 2, y);
    await page.mouse.down();
    await page.mouse.move((await placeOf(page, 0.6)).x, y);
    await page.mouse.up();
    const [fromNs = 0, toNs = 0] = (await rangeIn(page, 'range')) ?? [];
    expect(fromNs).toBe(500_000_000);
    expect(toNs / 1e9).toBeCloseTo(1.2, 1);
    const place = await placeOf(page, 0.4);
    await page.mouse.click(place.x, place.y);
    expect(await rangeIn(page, 'range')).toBeNull();
    await page.locator('.range-readout').waitFor({ state: 'hidden' });
  });

  it('the wheel zooms at the pointer, with Shift it pans, and a double click shows all', async () => {
    const { page } = await tab.visit(server.url);
    await label(page, 'server').waitFor();
    await hover(page, 0.25);
    for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -200);
    // The page gets the five one after the other, whenever it has time.
    const zoomed = async (): Promise<number> => {
      const [fromNs, toNs] = (await rangeIn(page, 'ruler')) ?? [0, 2e9];
      return (toNs - fromNs) / 2e9;
    };
    await expect.poll(zoomed).toBeCloseTo(Math.exp(-2), 2);
    const [fromNs = 0, toNs = 0] = (await rangeIn(page, 'ruler')) ?? [];
    const span = toNs - fromNs;
    // A quarter of the recording stays where it was.
    expect((0.5e9 - fromNs) / span).toBeCloseTo(0.25, 1);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, 100);
    await page.keyboard.up('Shift');
    await expect.poll(async () => (await rangeIn(page, 'ruler'))?.[0] ?? 0).toBeGreaterThan(fromNs);
    const [pannedNs = 0, endNs = 0] = (await rangeIn(page, 'ruler')) ?? [];
    expect((endNs - pannedNs) / span).toBeCloseTo(1, 3);
    expect(await rangeIn(page, 'range')).toBeNull();
    const place = await placeOf(page, 0.5);
    await page.mouse.dblclick(place.x, place.y);
    expect(await rangeIn(page, 'ruler')).toBeNull();
  });

  it('a zoomed picture shows the part of the time that is asked for', async () => {
    const { page } = await tab.visit(`${server.url}#ruler=901000000-1098000000`);
    // Nothing ran in this fifth of a second.
    await label(page, 'server').filter({ hasText: '0%' }).waitFor();
    await expect.poll(() => countPixels(page, 0, 'kind-own')).toBe(0);
    await page.goto(`${server.url}#ruler=200000000-400000000`);
    await page.reload();
    await label(page, 'server').filter({ hasText: '75%' }).waitFor();
    await expect.poll(() => countPixels(page, 0, 'kind-own')).toBeGreaterThan(1000);
  });

  it('all of it goes by keys', async () => {
    const { page } = await tab.visit(server.url);
    await label(page, 'server').waitFor();
    const ruler = page.getByRole('slider', { name: 'Time' });
    await ruler.focus();
    await page.keyboard.press('+');
    await expect.poll(() => rangeIn(page, 'ruler')).not.toBeNull();
    const [zoomedNs = 0, zoomedToNs = 0] = (await rangeIn(page, 'ruler')) ?? [];
    expect((zoomedToNs - zoomedNs) / 1e9).toBeCloseTo(1, 2);
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(async () => ((await rangeIn(page, 'ruler'))?.[0] ?? 0) - zoomedNs)
      .toBeCloseTo(1e8, -6);
    await page.keyboard.press('Home');
    await expect.poll(async () => (await rangeIn(page, 'ruler'))?.[0]).toBe(0);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    const [fromNs = 0, toNs = 0] = (await rangeIn(page, 'range')) ?? [];
    expect([fromNs / 1e9, toNs / 1e9].map((at) => at.toFixed(2))).toEqual(['0.50', '0.55']);
    await page.keyboard.press('ArrowLeft');
    expect((await rangeIn(page, 'range'))?.[0]).toBeLessThan(fromNs);
    await page.keyboard.press('Enter');
    const chosen = await rangeIn(page, 'range');
    await expect.poll(() => rangeIn(page, 'ruler')).toEqual(chosen);
    await page.keyboard.press('Escape');
    expect(await rangeIn(page, 'range')).toBeNull();
    await page.keyboard.press('Escape');
    expect(await rangeIn(page, 'ruler')).toBeNull();
    expect(await page.evaluate('document.activeElement.className')).toBe('ruler');
  });

  it('a name shows its thread only, Ctrl adds another one, and Escape shows all', async () => {
    const { page } = await tab.visit(server.url);
    await label(page, 'worker').click();
    await expect.poll(async () => (await stateOf(page)).get('thread')).toBe('0');
    expect(await pressed(page)).toEqual([expect.stringMatching(/^worker · /)]);
    // The other one stays, dimmed.
    await label(page, 'server').waitFor();
    await expect.poll(() => countPixels(page, 0, 'kind-own')).toBe(0);
    await expect.poll(() => countPixels(page, 1, 'kind-own')).toBeGreaterThan(1000);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Shift+Enter');
    expect((await stateOf(page)).get('thread')).toBe('0.1');
    await expect.poll(() => countPixels(page, 0, 'kind-own')).toBeGreaterThan(1000);
    await label(page, 'worker').click({ modifiers: ['Control'] });
    expect((await stateOf(page)).get('thread')).toBe('1');
    await page.keyboard.press('Escape');
    expect((await stateOf(page)).get('thread')).toBeNull();
    expect(await pressed(page)).toEqual([]);
    await label(page, 'server').click();
    await page.getByRole('button', { name: 'All threads' }).click();
    expect((await stateOf(page)).get('thread')).toBeNull();
  });

  it('each track says its name, share and when it is busy', async () => {
    const { page } = await tab.visit(server.url);
    await label(page, 'server').waitFor();
    const names = await page
      .locator('.track-label')
      .evaluateAll((labels) => labels.map((label) => label.ariaLabel));
    expect(names).toEqual([
      expect.stringMatching(
        /^server · 68%: server \(pid 100, tid 101\): 1\.35 s, 68% of a CPU, busy from 0\.000 s to 1\.999 s/,
      ),
      expect.stringMatching(/^worker · 23%: worker \(pid 100, tid 102\): 450\.0 ms, 23% of a CPU/),
    ]);
  });

  it('tracks are made higher by their lower edge: few by their height, many by their number', async () => {
    const { page } = await tab.visit(server.url);
    await page.locator('.track-label').first().waitFor();
    const edge = page.getByRole('separator', { name: 'Height of the threads over time' });
    const look = (of = page) =>
      of.evaluate<{ rows: number; height: number; isFull: boolean }>(`(() => {
        const labels = [...document.querySelectorAll('.track-label')];
        const plot = document.querySelector('.track-plot canvas').getBoundingClientRect();
        const { height } = labels[0].getBoundingClientRect();
        return { rows: labels.length, height, isFull: plot.height === height * labels.length };
      })()`);
    const { rows, height } = await look();
    expect(rows).toBe(2);
    await edge.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    // Six rows of the usual height, for two threads.
    await expect.poll(() => look()).toStrictEqual({ rows, height: 3 * height, isFull: true });
    expect((await stateOf(page)).get('tracks')).toBe('6');
    await page.keyboard.press('Enter');
    await expect.poll(() => look()).toStrictEqual({ rows, height, isFull: true });
    const box = (await edge.boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 6 * height);
    await page.mouse.up();
    await expect.poll(async () => (await look()).height).toBe(4 * height);

    const programs = Array.from({ length: 300 }, (_, i) =>
      sample(`tool-${'abcdefghijkl'[i % 12]}`, i, i, i, ['main (/usr/bin/tool)']),
    );
    const many = await serveTexts(programs.join('\n'));
    const { page: other } = await tab.visit(`${many.url}#tracks=9`);
    await other.locator('.track-label').first().waitFor();
    await expect.poll(() => look(other)).toStrictEqual({ rows: 9, height, isFull: true });
  });

  it('the range is copied as report wants it', async () => {
    const { page } = await tab.visit(`${server.url}#range=500000000-1500000000`);
    const copy = page.getByRole('button', { name: /^Copy --time/ });
    // The recording begins at 1000 s of its clock.
    expect(await copy.getAttribute('aria-label')).toBe('Copy --time 1000.500000000,1001.499999999');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await copy.click();
    await page.getByRole('button', { name: /^Copy/ }).filter({ hasText: 'copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      '--time 1000.500000000,1001.499999999',
    );
  });

  it('tracks have one axis in every tab, and the list of functions stands beside them', async () => {
    const { page } = await tab.visit(server.url);
    const plot = () => page.locator('.track-plot').boundingBox();
    const list = () => page.locator('.side-panel').boundingBox();
    await page.locator('.where-row').first().waitFor();
    const [first, side] = [(await plot())!, (await list())!];
    expect(first.x + first.width).toBe(side.x - 8);
    expect(side.y).toBeLessThanOrEqual(first.y);
    for (const key of ['2', '3', '4', '5', '6']) {
      await page.keyboard.press(key);
      await page.locator(`.tab[aria-selected="true"]:nth-child(${key})`).waitFor();
      expect([await plot(), await list()]).toStrictEqual([first, side]);
    }
  });

  it('the heat map has the axis of the tracks', async () => {
    const { page } = await tab.visit(
      `${server.url}#tab=time&timeView=heat&ruler=500000000-1500000000`,
    );
    await page.locator('.heat-map[aria-label]').waitFor();
    const edges = async (of: string) => {
      const box = await page.locator(of).boundingBox();
      return box === null ? [] : [box.x, box.x + box.width];
    };
    const [left = 0, right = 0] = await edges('.track-plot');
    expect(right - left).toBeGreaterThan(500);
    await expect.poll(() => edges('.heat-plot')).toEqual([left, right]);
    // The middle of both is a second; columns are of 100 ms.
    const map = await page.locator('.heat-map').boundingBox();
    await page.mouse.move((left + right) / 2 + 2, (map?.y ?? 0) + 2);
    await page.getByText(/^1\.000 s to 1\.002 s/).waitFor();
  });

  it.each([
    [1280, 720, 84],
    [640, 360, 33],
  ])('takes little of a window of %i × %i', async (width, height, most) => {
    const { page } = await tab.visit(server.url, { width, height });
    await page.locator('.track-label').first().waitFor();
    expect((await page.locator('.tracks').boundingBox())?.height).toBeLessThanOrEqual(most);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });
});

describeBrowser('tracks of many programs', (tab) => {
  it('all threads are a tree of programs, processes and threads, by pointer and by keys', async () => {
    const lines = Array.from({ length: 900 }, (_, ms) => {
      const stack = ['work (/usr/bin/app)'];
      // A server of two processes with three threads each, and the short jobs of a build.
      if (ms % 3 > 0) {
        const pid = ms % 6 === 5 ? 310 : 300;
        const tid = pid + (Math.floor(ms / 6) % 3);
        return sample(tid === pid ? 'server' : `pool-${tid}`, pid, tid, ms, stack);
      }
      const job = 1000 + Math.floor(ms / 30);
      return sample(`job-${job}`, job, job, ms, stack);
    });
    const { page } = await tab.visit((await serveTexts(lines.join('\n'))).url);
    await page.locator('.track-label[aria-expanded]').first().click();
    const names = () => page.locator('.track-label').allTextContents();
    const shown = async () => (await names()).map((name) => name.replace(/ · .*/, ''));
    await expect.poll(shown).toStrictEqual(['▸ server ×6', '▸ job-* ×30']);
    await page.locator('.track-label', { hasText: 'server' }).locator('.track-more').click();
    await expect
      .poll(shown)
      .toStrictEqual(['▾ server ×6', '▸ server 300 ×3', '▸ server 310 ×3', '▸ job-* ×30']);
    await page.locator('.track-label', { hasText: 'server 310' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(async () => (await shown()).slice(2, 6))
      .toStrictEqual(['▾ server 310 ×3', 'server main 310', 'pool-311', 'pool-312']);
    // A branch has the weight of all below it: this process has a quarter of the program's.
    const share = async (name: string) =>
      Number(/([\d.]+)%/.exec((await names()).find((text) => text.includes(name)) ?? '')?.[1]);
    expect(await share('server 310')).toBeCloseTo((await share('server ×6')) / 4, 0);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(shown).toHaveLength(4);
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stateOf(page)).get('thread')?.split('.').length).toBe(3);
  });
});

describeBrowser('tracks of many threads', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const lines = Array.from({ length: 800 }, (_, ms) => {
      const tid = 200 + (ms % 80);
      return sample(`pool-${tid}`, 200, tid, ms, ['work (/usr/bin/app)']);
    });
    server = await serveTexts(lines.join('\n'));
  });

  it('light threads share the row of their program, whose name lists all until Escape', async () => {
    const { page } = await tab.visit(server.url);
    const more = page.locator('.track-label[aria-expanded]');
    expect(await more.textContent()).toMatch(/^pool-\* ×77 · 9\d%/);
    await more.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.track-label').count()).toBe(61);
    expect(await page.locator('.track-label', { hasText: '20 more' }).count()).toBe(1);
    const box = await page.locator('.track-scroller').boundingBox();
    expect(box?.height).toBeLessThanOrEqual(0.6 * 720 + 1);
    // The axis stays where it was.
    const plot = await page.locator('.track-plot').boundingBox();
    expect(plot?.width).toBe((await page.locator('.ruler').boundingBox())?.width);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.track-label').count()).toBe(4);
    await more.click();
    await label(page, 'pool-250').click();
    await page.keyboard.press('Escape');
    // A chosen thread keeps its row.
    await expect.poll(() => page.locator('.track-label').count()).toBe(4);
    await label(page, 'pool-250').waitFor();
  });
});
