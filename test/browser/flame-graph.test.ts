import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame, stateOf } from './browser.ts';
import { recordingText, sample } from './recording-text.ts';
import { serveTexts } from './served.ts';

describeBrowser('the flame graph', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText());
  });
  const open = async (hash = '', options = {}): Promise<Page> => {
    const { page } = await tab.visit(`${server.url}#${hash}`, options);
    await frame(page, 'paintCell').waitFor();
    return page;
  };
  const boxOf = async (of: Locator) => {
    const box = await of.boundingBox();
    if (box === null) throw new Error('the frame is not in the document');
    return box;
  };
  const rectOf = (page: Page, name: string) => boxOf(frame(page, name).locator('rect'));

  it('the zoomed graph keeps the callers of the zoomed frame as rows of its width, and each leads back', async () => {
    const page = await open('roots=none');
    const all = await rectOf(page, 'all');
    const before = await rectOf(page, 'render');
    await frame(page, 'render').click();
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
    await expect.poll(async () => (await rectOf(page, 'render')).width).toBeCloseTo(all.width, -1);
    for (const name of ['all', 'main', 'handle', 'render']) {
      expect((await rectOf(page, name)).width, name).toBeCloseTo(all.width, -1);
    }
    // Zooming moves frames sideways only.
    expect((await rectOf(page, 'render')).y).toBeCloseTo(before.y, -1);
    await frame(page, 'handle').click();
    await frame(page, 'parse').waitFor();
    await page.goBack();
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
  });

  it('the wheel with Ctrl zooms the graph at the pointer, a drag and the map move it, and a click starts anew', async () => {
    const page = await open('roots=none');
    const chart = page.locator('.chart');
    const look = () =>
      page.evaluate<{ left: number; times: number; hasMap: boolean }>(`(() => {
        const { scrollLeft, scrollWidth, clientWidth } = document.querySelector('.chart');
        const hasMap = !document.querySelector('.minimap').hidden;
        return { left: scrollLeft, times: scrollWidth / clientWidth, hasMap };
      })()`);
    expect(await look()).toStrictEqual({ left: 0, times: 1, hasMap: false });
    const before = await rectOf(page, 'render');
    const x = before.x + before.width / 2;
    await page.mouse.move(x, before.y + 4);
    // Without Ctrl the wheel is for scrolling.
    await page.mouse.wheel(0, -240);
    expect((await look()).times).toBe(1);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -240);
    await page.mouse.wheel(0, -240);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await stateOf(page)).get('lens')).toMatch(/^\d+-\d+$/);
    await expect.poll(() => page.locator('.chart.is-stretched').count()).toBe(0);
    const zoomed = await look();
    expect(zoomed.times).toBeGreaterThan(1.5);
    expect(zoomed.hasMap).toBe(true);
    const after = await rectOf(page, 'render');
    expect(after.width / before.width).toBeCloseTo(zoomed.times, 1);
    // The frame under the pointer is still there.
    expect(after.x + after.width / 2).toBeCloseTo(x, -1);
    // The name of a frame that begins left of the box is in view.
    const box = await boxOf(chart);
    const name = await boxOf(frame(page, 'all').locator('.frame-name'));
    expect(name.x).toBeGreaterThanOrEqual(box.x);
    await page.reload();
    await frame(page, 'paintCell').waitFor();
    expect((await look()).times).toBeCloseTo(zoomed.times, 1);
    expect(Math.abs((await look()).left - zoomed.left)).toBeLessThan(2);
    const dragFrom = { x: box.x + box.width / 2, y: box.y + box.height - 30 };
    await page.mouse.move(dragFrom.x, dragFrom.y);
    await page.mouse.down();
    await page.mouse.move(dragFrom.x - 60, dragFrom.y, { steps: 4 });
    await page.mouse.up();
    expect((await look()).left).toBeCloseTo(zoomed.left + 60, 0);
    // A drag is no click.
    expect((await stateOf(page)).get('func')).toBeNull();
    const map = await boxOf(page.locator('.minimap'));
    await page.mouse.click(map.x + 2, map.y + 4);
    expect((await look()).left).toBe(0);
    await frame(page, 'render').click();
    await expect.poll(look).toStrictEqual({ left: 0, times: 1, hasMap: false });
    await page.goBack();
    await expect.poll(async () => (await look()).hasMap).toBe(true);
    await chart.focus();
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await look()).times).toBe(1);
    await page.keyboard.press('+');
    await expect.poll(async () => (await look()).times).toBeGreaterThan(1.4);
    await page.keyboard.press('-');
    await expect.poll(async () => (await look()).times).toBe(1);
  });

  it('a click selects the function, and one step back undoes both', async () => {
    const page = await open('roots=none');
    await frame(page, 'render').click();
    await expect.poll(() => page.locator('.frame.selected').count()).toBe(1);
    expect(page.url()).toMatch(/func=\d+/);
    await page.goBack();
    await frame(page, 'parse').waitFor();
    expect(page.url()).not.toContain('func');
    await expect.poll(() => page.locator('.frame.selected').count()).toBe(0);
  });

  it('frames have their shares at the right, and names cut to fit', async () => {
    const page = await open('roots=none');
    const texts = (name: string) => frame(page, name).locator('text').allTextContents();
    expect(await texts('render')).toStrictEqual(['render', '50.00%']);
    expect(await texts('all')).toStrictEqual(['all', '100.00%']);
    const { x, width } = await rectOf(page, 'render');
    const share = await boxOf(frame(page, 'render').locator('.frame-share'));
    expect(share.x + share.width).toBeLessThan(x + width);
    expect(share.x + share.width).toBeGreaterThan(x + width - 12);
  });

  it('the graph fills its box, follows its size, and draws the rows that come into view', async () => {
    const deep = Array.from({ length: 120 }, (_, depth) => `deep${119 - depth} (/usr/bin/app)`);
    const text = Array.from({ length: 20 }, (_, ms) => sample('app', 1, 1, ms, deep)).join('\n');
    const { url } = await serveTexts(text);
    const { page } = await tab.visit(url);
    await frame(page, 'deep0').waitFor();
    expect(await frame(page, 'deep100').count()).toBe(0);
    const chart = page.locator('.chart');
    const drawn = await page.locator('.chart .frame').count();
    await chart.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await frame(page, 'deep119').waitFor();
    expect((await boxOf(frame(page, 'deep119'))).y).toBeLessThan((await boxOf(chart)).y + 720);
    await chart.evaluate((box) => box.scrollTo(0, 0));
    await page.setViewportSize({ width: 1280, height: 1400 });
    await expect.poll(() => page.locator('.chart .frame').count()).toBeGreaterThan(drawn + 20);
    // The page itself does not scroll.
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(1400);
  });

  it('the graph stands on its root if that is wished, which is in view at first', async () => {
    const page = await open('roots=none&shape=flame');
    const root = await rectOf(page, 'all');
    const chart = await boxOf(page.locator('.chart'));
    expect(root.y).toBeGreaterThan((await rectOf(page, 'handle')).y);
    const ground = chart.y + chart.height;
    expect(root.y + root.height).toBeCloseTo(ground, -1);
    await frame(page, 'render').click();
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
    const zoomed = await rectOf(page, 'all');
    expect(zoomed.y + zoomed.height).toBeCloseTo(ground, -1);
  });

  it('the graph moves from zoom to zoom, unless no motion is wanted', async () => {
    const page = await open('roots=none');
    await page.evaluate(`{
      const { animate } = Element.prototype;
      window.moves = 0;
      Element.prototype.animate = function (...parameters) {
        window.moves++;
        return animate.apply(this, parameters);
      };
    }`);
    const zoomInAndOut = async () => {
      await frame(page, 'render').click();
      await expect.poll(() => frame(page, 'parse').count()).toBe(0);
      await page.keyboard.press('Escape');
      await frame(page, 'parse').waitFor();
      return page.evaluate('window.moves');
    };
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await zoomInAndOut()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await zoomInAndOut()).toBe(2);
  });

  it('the graph has nothing of the picture before while it moves, and describes a frame once the pointer moves', async () => {
    const page = await open('roots=none');
    await page.evaluate<void>(`(() => {
      const { animate } = Element.prototype;
      Element.prototype.animate = function (frames, options) {
        return animate.call(this, frames, { ...options, duration: 1e6 });
      };
    })()`);
    await frame(page, 'render').click();
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
    expect(await page.locator('.chart svg').count()).toBe(1);
    const tooltip = page.locator('.tooltip:visible');
    expect(await tooltip.count()).toBe(0);
    // Not `hover`, which waits until nothing moves.
    const { x, y, width, height } = await rectOf(page, 'render');
    await page.mouse.move(x + width / 2 + 1, y + height / 2 + 1);
    await expect.poll(() => tooltip.count()).toBe(1);
  });

  it('the page leaves the rows of the list as they are when a zoom selects another function', async () => {
    const page = await open('roots=none');
    const rows = page.locator('.where-row');
    await rows.first().waitFor();
    const drawn = await rows.elementHandles();
    await frame(page, 'render').click();
    await expect.poll(() => page.locator('.frame.selected').count()).toBe(1);
    const stayed = await Promise.all(drawn.map((row) => row.evaluate((one) => one.isConnected)));
    expect(stayed).not.toContain(false);
    await rows.filter({ hasText: 'memcpy' }).click();
    const chosen = page.locator('.where-row[aria-pressed=true]');
    await expect.poll(() => chosen.allInnerTexts()).toHaveLength(1);
    expect(await chosen.innerText()).toContain('memcpy');
  });

  it('the inverted graph shows callers where the tree is turned round', async () => {
    const page = await open('roots=none');
    await page.keyboard.press('i');
    const heightOf = async (name: string) => (await rectOf(page, name)).y;
    await expect
      .poll(async () => (await heightOf('handle')) - (await heightOf('skipSpace')))
      .toBeGreaterThan(0);
  });

  it('the graph follows the keyboard: cursor, zoom and the way back', async () => {
    const page = await open('roots=none');
    const spoken = page.locator('.flame .spoken');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
      await page.keyboard.press(key);
    }
    await expect.poll(() => spoken.innerText()).toContain('parse');
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => spoken.innerText())
      .toBe('render: 50.00% of all, 900.0 ms, 50.00% of its caller, self 0.00%, 2 of 2');
    expect(await page.locator('.tooltip:visible').innerText()).toContain('render');
    await page.keyboard.press('Enter');
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
    // The cursor is on the frame that fills the width now.
    await expect.poll(() => spoken.innerText()).toMatch(/^render: 50\.00% of all/);
    await page.keyboard.press('Backspace');
    await frame(page, 'parse').waitFor();
  });

  it('the graph leaves Enter to the links and buttons that have the focus', async () => {
    const page = await open('roots=none');
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('panel');
    const button = page.getByRole('button', { name: 'Callers' }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('tree=callers');
  });

  it('the status line describes frames, the zoomed one and those above it as well', async () => {
    const page = await open('roots=none');
    const text = page.locator('.tooltip:visible');
    await frame(page, 'render').hover();
    await expect.poll(() => text.innerText()).toMatch(/total\s+50\.00%/);
    expect(await text.innerText()).toContain('/usr/bin/app');
    expect(await text.innerText()).toMatch(/share\s+50\.00% of its caller/);
    const fill = await frame(page, 'render').locator('rect').getAttribute('fill');
    await frame(page, 'render').click();
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
    await page.mouse.move(0, 0);
    for (const name of ['render', 'handle']) {
      await frame(page, name).hover();
      await expect.poll(() => text.innerText()).toMatch(new RegExp(`^${name}[^]*self\\s+0\\.00%`));
      expect(await text.innerText()).toContain('/usr/bin/app');
      expect(await text.innerText()).toMatch(/samples\s/);
    }
    expect(await frame(page, 'render').locator('rect').getAttribute('fill')).toBe(fill);
    await frame(page, 'render').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Hide samples with render/ }).waitFor();
  });

  it('letters edit stacks, and take the last edit back', async () => {
    const page = await open('roots=none');
    const chips = () => page.locator('.chip').allInnerTexts();
    await frame(page, 'parse').hover();
    await page.keyboard.press('d');
    await expect.poll(() => frame(page, 'parse').count()).toBe(0);
    await frame(page, 'handle').hover();
    await page.keyboard.press('m');
    await expect.poll(() => frame(page, 'handle').count()).toBe(0);
    await frame(page, 'render').hover();
    await page.keyboard.press('f');
    await expect.poll(() => frame(page, 'main').count()).toBe(0);
    await expect.poll(chips).toStrictEqual(['hidden parse×', 'merged handle×', 'focus render×']);
    await page.reload();
    await expect.poll(chips).toStrictEqual(['hidden parse×', 'merged handle×', 'focus render×']);
    await page.keyboard.press('u');
    await frame(page, 'main').waitFor();
    await page.keyboard.press('Backspace');
    await frame(page, 'handle').waitFor();
    expect(await chips()).toStrictEqual(['hidden parse×']);
    await page.locator('.chip').click();
    await frame(page, 'parse').waitFor();
  });

  it('the menu copies the name and the stack of a frame', async () => {
    const page = await open('roots=none');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate('navigator.clipboard.readText()');
    await frame(page, 'render').hover();
    await page.keyboard.press('c');
    await expect.poll(clipboard).toBe('render');
    await page.getByText('Copied the name.').waitFor();
    await page.keyboard.press('C');
    await expect.poll(clipboard).toBe('render\nhandle\nmain');
  });

  it('the flame graph is saved as a picture that needs no style sheet', async () => {
    const page = await open('roots=none');
    const saved = page.waitForEvent('download');
    await frame(page, 'render').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Save the graph as SVG' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/-flame\.svg$/);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const svg = Buffer.concat(chunks).toString();
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).toContain('<title>paintCell</title>');
    expect(svg).toMatch(/<text [^>]*>render<\/text>/);
    const bitmap = page.waitForEvent('download');
    await frame(page, 'render').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Save the graph as PNG' }).click();
    expect((await bitmap).suggestedFilename()).toMatch(/-flame\.png$/);
  });
});

describeBrowser('a flame graph of many narrow frames', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const stacks = Array.from({ length: 3000 }, (_, at) => `app;main;f${at};g${at} 1`);
    server = await serveTexts([...stacks, 'app;main;wide;leaf 3000', 'app;other 4000'].join('\n'));
  });

  it('a folded graph opens, and is not taken for a recording without stacks', async () => {
    const { page } = await tab.visit(`${server.url}#roots=none`);
    const folded = page.locator('.frame[name="(6 000 folded)"]').first();
    await folded.waitFor();
    expect(await page.locator('#panel').innerText()).not.toContain('without call stacks');
    await folded.click();
    await expect.poll(() => frame(page, 'other').count()).toBe(0);
    // Its caller fills the width now: a zoom would show no more of them.
    await folded.click();
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    expect(await items.first().innerText()).toMatch(/^0\.01% f\d+$/);
    expect(await items.count()).toBe(200);
    await page.keyboard.press('Enter');
    await page.locator('.frame[name^="g"]').waitFor();
    await page.keyboard.press('Backspace');
    await frame(page, 'wide').waitFor();
  });

  it('lists at once what is folded below a frame that fills the width already', async () => {
    const stacks = Array.from({ length: 3000 }, (_, at) => `app;f${at};g${at} 1`).join('\n');
    const { page } = await tab.visit(`${(await serveTexts(stacks)).url}#roots=none`);
    await page.locator('.frame[name="(6 000 folded)"]').first().click();
    await page.getByRole('menuitem').first().waitFor();
    expect(new URL(page.url()).hash).toBe('#roots=none');
  });

  it('the keyboard opens a folded frame', async () => {
    const { page } = await tab.visit(`${server.url}#roots=none`);
    await page.locator('.frame[name="(6 000 folded)"]').waitFor();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) {
      await page.keyboard.press(key);
    }
    await expect.poll(() => page.locator('.flame .spoken').innerText()).toContain('folded');
    await page.keyboard.press('Enter');
    await expect.poll(() => frame(page, 'other').count()).toBe(0);
    await expect.poll(() => page.locator('.flame .spoken').innerText()).toMatch(/^main: 60/);
  });
});
