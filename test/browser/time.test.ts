import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { CORPORA, hasCorpora } from '../helpers/corpora.ts';
import { describeBrowser, frame, stateOf } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveFile, serveTexts } from './served.ts';

const rangeOf = async (page: Page) =>
  (await stateOf(page)).get('range')?.split('-').map(Number) ?? null;

describeBrowser('time in the page', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText());
  });

  it('keys alone take a range from the heat map', async () => {
    const { page } = await tab.visit(
      `${server.url}#tab=time&timeView=heat&heatColumnNs=1000000000`,
    );
    // Named for what it shows as soon as it shows it.
    await page.locator('.heat-map[aria-label]').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText('0.000 s to 0.020 s: 20 samples').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('1.000 s to 1.020 s: 0 samples').waitFor();
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowDown');
    await page.getByText('1.100 s to 1.120 s: 20 samples').waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
    expect(await rangeOf(page)).toEqual([1.1e9, 1.14e9]);
    await page.keyboard.press('0');
    expect(await rangeOf(page)).toBeNull();
  });

  it('the page can be used by keyboard, and lists its keys', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'paintCell').waitFor();
    const open = () => page.getByRole('tab', { selected: true }).innerText();
    await page.keyboard.press('4');
    expect(await open()).toBe('Over time');
    await page.keyboard.press(']');
    expect(await open()).toBe('Source');
    await page.getByRole('tab', { selected: true }).focus();
    await page.keyboard.press('ArrowLeft');
    expect(await open()).toBe('Over time');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Over time');
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    expect(await keys.innerText()).toMatch(/next weight[\s\S]*chart: zoom/);
    await page.keyboard.press('1');
    expect(await open()).toBe('Over time');
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('+');
    await expect.poll(async () => (await stateOf(page)).get('ruler')).not.toBeNull();
  });

  it('every control of the page has an accessible name', async () => {
    const { page } = await tab.visit(`${server.url}#tab=time`);
    await page.locator('.chart-thread', { hasText: /\d/ }).waitFor();
    const used = await page
      .locator('button:visible, select:visible, input:visible, [tabindex="0"]:visible')
      .all();
    expect(used.length).toBeGreaterThan(10);
    const unnamed: string[] = [];
    for (const element of used) {
      const name = /^- '?[\w ]+ "[^"]+"/;
      if (!name.test(await element.ariaSnapshot())) unnamed.push(await element.ariaSnapshot());
    }
    expect(unnamed).toEqual([]);
    expect(await page.locator('main [role=tabpanel]').getAttribute('aria-labelledby')).toBe(
      'tab-time',
    );
  });

  it.each([
    ['a small window', 1280, 720],
    ['a large one', 3840, 2160],
  ])('the page fits into %s', async (_, width, height) => {
    const { page } = await tab.visit(`${server.url}#tab=time`, { width, height });
    await page.locator('.chart-thread', { hasText: /\d/ }).waitFor();
    const wide = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(await wide()).toBeLessThanOrEqual(0);
    const top = async () => (await page.locator('#panel').boundingBox())?.y ?? Number.NaN;
    expect(await top()).toBeLessThan(height * 0.4);
    await page.keyboard.press('1');
    await frame(page, 'paintCell').waitFor();
    expect(await wide()).toBeLessThanOrEqual(0);
  });
});

describe.skipIf(!hasCorpora)('periods in the page', () => {
  describeBrowser('of a recording', (tab) => {
    let server: ViewServer;
    beforeAll(async () => {
      server = await serveFile(join(CORPORA, 'own', 'pagefaults-F2000.data'));
    });

    it('periods: three plots above the text of the report', async () => {
      const { page } = await tab.visit(`${server.url}#tab=period`);
      const plots = page.getByRole('slider', { name: 'samples per second' });
      await plots.waitFor();
      const words = page.getByRole('complementary', { name: 'What the figures mean' });
      expect(await words.innerText()).toMatch(/2 000 Hz asked[\s\S]*This stream[\s\S]*The event/);
      const streams = page.getByLabel('Stream');
      if ((await streams.locator('option').count()) > 1) {
        await streams.selectOption({ index: 1 });
        expect((await stateOf(page)).get('stream')).not.toBeNull();
      }
      await page.getByRole('tab', { name: 'Flame' }).click();
      await page.getByRole('tab', { name: 'Sampling' }).click();
      await plots.waitFor();
    });

    it('periods: the distance between weights is shown, with a switch between them', async () => {
      const { page } = await tab.visit(`${server.url}#tab=period`);
      const panel = page.locator('#panel');
      await expect.poll(() => panel.innerText()).toContain('Does it matter which weight is shown?');
      await page.getByRole('button', { name: '⚙' }).click();
      await page.getByRole('button', { name: 'Period', exact: true }).click();
      expect((await stateOf(page)).get('weight')).toBe('period');
      await page.keyboard.press('Escape');
      await page.keyboard.press('w');
      expect((await stateOf(page)).get('weight')).toBe('samples');
    });
  });
});
