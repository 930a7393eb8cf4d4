// The tab Source, of a profile with lines: where it opens, its map of hot lines, whole files.

import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { describeBrowser } from './browser.ts';
import { serveFile } from './served.ts';

const LINES = 400;
const TICKS = 26;

/** What DevTools saves: `main` calls `work`, which has all ticks. */
function cpuProfile(path: string): string {
  const frame = (functionName: string, lineNumber: number) => ({
    functionName,
    scriptId: '1',
    url: `file://${path}`,
    lineNumber,
    columnNumber: 0,
  });
  const ticks = Array.from({ length: TICKS }, () => 3);
  const root = { ...frame('(root)', -1), url: '' };
  return JSON.stringify({
    nodes: [
      { id: 1, callFrame: root, hitCount: 0, children: [2] },
      { id: 2, callFrame: frame('main', 1), hitCount: 0, children: [3] },
      { id: 3, callFrame: frame('work', 10), hitCount: ticks.length },
    ],
    startTime: 0,
    endTime: ticks.length * 1000,
    samples: ticks,
    timeDeltas: ticks.map(() => 1000),
  });
}

describeBrowser('the tab Source', (tab) => {
  let server: ViewServer;
  let source = '';
  beforeAll(async () => {
    const directory = scratchDirectory();
    source = join(directory, 'app.js');
    const lines = Array.from({ length: LINES }, (_, i) => `const line${i + 1} = ${i + 1};`);
    writeFileSync(source, lines.join('\n'));
    const path = join(directory, 'app.cpuprofile');
    writeFileSync(path, cpuProfile(source));
    utimesSync(source, new Date(0), new Date(0));
    server = await serveFile(path);
  });
  const visit = async (options: { colorScheme?: 'light' | 'dark' } = {}) => {
    const { page } = await tab.visit(`${server.url}#tab=source`, options);
    await page.locator('.source-table .is-first').first().waitFor();
    return page;
  };

  it('the source opens at the function inside of its own box, which scrolls alone', async () => {
    const page = await visit();
    const place = await page.locator('.source-table .is-first').evaluate((row) => {
      const box = row.closest('.code-box') as typeof row;
      const outer = box.getBoundingClientRect();
      const { top, bottom } = row.getBoundingClientRect();
      return { isSeen: top >= outer.top && bottom <= outer.bottom, scrollTop: box.scrollTop };
    });
    expect(await page.evaluate('window.scrollY')).toBe(0);
    // Without the box of the page's frame nothing needs to scroll.
    if (place.scrollTop > 0) expect(place.isSeen).toBe(true);
    // No line has weight, so there is nothing to map.
    expect(await page.locator('.code-map').isVisible()).toBe(false);
  });

  it.each(['light', 'dark'] as const)(
    'the source tab can be read and reached by everybody: %s',
    async (scheme) => {
      const page = await visit({ colorScheme: scheme });
      const box = page.getByRole('region', { name: /^Code of work/ });
      expect(await box.getAttribute('tabindex')).toBe('0');
      expect(await page.locator('.source-table th').allInnerTexts()).toStrictEqual([
        'Self',
        'Total',
        'Line',
        'Code',
      ]);
      for (const cell of ['.line-number', 'td:last-child']) {
        const find = `document.querySelector('.source-table ${cell}')`;
        const ratio = await page.evaluate<number>(`(${CONTRAST_OF})(${find})`);
        expect([cell, ratio >= 4.5]).toStrictEqual([cell, true]);
      }
    },
  );

  it('the saved page shows the same lines', async () => {
    const saved = await fetch(`${server.url}page?files=0&view=tab%3Dsource`);
    const path = join(scratchDirectory(), 'saved.html');
    writeFileSync(path, await saved.text());
    const { page } = await tab.visit(pathToFileURL(path).href);
    const first = page.locator('.source-table .is-first').first();
    await first.waitFor();
    expect(await first.innerText()).toMatch(/const line(\d+) = \1;/);
  });

  it('the source shows the whole file of a function, and reports that it was changed since', async () => {
    const page = await visit();
    const head = page.locator('.source-head');
    expect(await head.innerText()).toMatch(/^work[\s\S]*self 100\.00% · total 100\.00%/);
    const notes = page.locator('.tables > .pruned').first();
    expect(await notes.innerText()).not.toContain('changed');
    utimesSync(source, new Date(), new Date(Date.now() + 10_000));
    await page.getByRole('button', { name: 'Whole file' }).click();
    await expect.poll(() => head.locator('h2').innerText()).toBe('app.js');
    await page.reload();
    await expect.poll(() => head.locator('h2').innerText()).toBe('app.js');
    await expect.poll(() => notes.innerText()).toContain('changed after the recording was made');
    // From the table of files, too.
    await page.goto(`${server.url}#tab=table&tableBy=file`);
    await page.locator('.data-table tr', { hasText: 'app.js' }).click();
    await expect.poll(() => head.locator('h2').innerText()).toBe('app.js');
  });
});

/** Contrast of a cell's text to what is behind it, as WCAG has it: a function of the page. */
const CONTRAST_OF = `(cell) => {
  const canvas = document.createElement('canvas').getContext('2d');
  const behind = [];
  for (let at = cell; at !== null; at = at.parentElement) {
    behind.unshift(getComputedStyle(at).backgroundColor);
  }
  const luminance = (colours) => {
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
      const part = byte / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = luminance(behind);
  const text = luminance([...behind, getComputedStyle(cell).color]);
  return (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
}`;
