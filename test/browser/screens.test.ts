// Twelve states of the page, in light and dark, beside the pictures kept in `screens/`. They are made anew by
// `PERF_TS_WRITE_SCREENS=1 npx vitest run --project browser test/browser/screens.test.ts`, and looked at then.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { describeBrowser } from './browser.ts';
import { nodeServer } from './kinds-of-recordings.ts';
import { recordingText } from './recording-text.ts';
import { BlockDesk, differenceOf, WRITES } from './screen-blocks.ts';
import { serveFile, serveTexts } from './served.ts';

const KEPT = join(import.meta.dirname, 'screens');
/**
 * A side panel without its list changes 6 % of the blocks, a panel on the other side 20 %; Liberation Sans in
 * the place of DejaVu Sans 3 to 6 %, and in a narrow window, where lines then wrap, 40 %.
 */
const MOST_DIFFERENT = 0.05;
/** So many pictures one after the other that are alike: nothing more is being drawn. */
const STILL = 3;

type Served = 'node' | 'lines' | 'changes';
type Screen = {
  readonly name: string;
  readonly of?: Served;
  readonly hash?: string;
  readonly size?: readonly [width: number, height: number];
  /** Something that is there when the view is drawn. */
  readonly shows: string;
  readonly act?: (page: Page) => Promise<void>;
};

const SCREENS: readonly Screen[] = [
  { name: 'flame', shows: '.frame[name^="score "]' },
  {
    name: 'flame-zoomed',
    shows: '.frame[name^="score "]',
    act: async (page) => {
      await page.locator('.frame[name^="handleRequest "]').first().click();
      await page.locator('.crumb', { hasText: 'handleRequest' }).waitFor();
      await page.mouse.move(1, 1);
    },
  },
  { name: 'functions', hash: 'tab=table', shows: '#panel tbody tr' },
  { name: 'tree', hash: 'tab=tree', shows: '#panel tbody tr' },
  { name: 'chart', hash: 'tab=time', shows: '#panel canvas' },
  { name: 'heat', hash: 'tab=time&timeView=heat', shows: '.heat-map[aria-label]' },
  { name: 'source', of: 'lines', hash: 'tab=source', shows: '.source-table .is-first' },
  { name: 'sampling', hash: 'tab=period', shows: '.sampling h2' },
  { name: 'diff', of: 'changes', shows: '.diff-table tbody tr' },
  { name: 'narrow', size: [640, 360], shows: '.frame[name^="score "]' },
  { name: 'phone', size: [400, 800], shows: '.frame[name^="score "]' },
  {
    name: 'selected',
    hash: 'group=own',
    shows: '.frame[name^="score "]',
    act: async (page) => {
      await page.locator('.where-row').first().click();
      await page.locator('.details-actions').waitFor();
      await page.mouse.move(1, 1);
    },
  },
];

/** What DevTools saves of a script of 60 lines: `work` has all ticks, on three of its lines. */
function profileWithLines(): string {
  const directory = scratchDirectory();
  const source = join(directory, 'app.js');
  const lines = Array.from({ length: 60 }, (_, i) => `  const line${i + 1} = total * ${i + 1};`);
  lines[9] = 'function work(total) {';
  lines[40] = '}';
  writeFileSync(source, lines.join('\n'));
  const callFrame = (functionName: string, lineNumber: number) => ({
    functionName,
    scriptId: '1',
    url: functionName === '(root)' ? '' : `file://${source}`,
    lineNumber,
    columnNumber: 0,
  });
  const positionTicks = [12, 15, 30].map((line, at) => ({ line, ticks: 10 - 3 * at }));
  const samples = Array.from({ length: 21 }, () => 2);
  const path = join(directory, 'app.cpuprofile');
  const profile = {
    nodes: [
      { id: 1, callFrame: callFrame('(root)', -1), hitCount: 0, children: [2] },
      { id: 2, callFrame: callFrame('work', 9), hitCount: samples.length, positionTicks },
    ],
    startTime: 0,
    endTime: samples.length * 1000,
    samples,
    timeDeltas: samples.map(() => 1000),
  };
  writeFileSync(path, JSON.stringify(profile));
  return path;
}

describeBrowser('the screens', (tab) => {
  let servers: Record<Served, ViewServer>;
  beforeAll(async () => {
    servers = {
      node: await serveTexts(nodeServer()),
      lines: await serveFile(profileWithLines()),
      changes: await serveTexts(recordingText({ slow: 30 }), recordingText()),
    };
  });
  const cases = SCREENS.flatMap((screen) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ ...screen, colorScheme })),
  );

  it.each(cases)('$name, $colorScheme: as it was', async ({ colorScheme, ...screen }) => {
    const { of = 'node', hash = '', size = [1280, 720], shows, act } = screen;
    const [width, height] = size;
    const options = { width, height, colorScheme, reducedMotion: true };
    const { page } = await tab.visit(`${servers[of].url}#${hash}`, options);
    await page.locator(shows).first().waitFor();
    await page.locator('.where-row').first().waitFor({ state: 'attached' });
    // Of all answers that one comes last.
    await page.locator('.trust-badge:not(:empty)').waitFor({ state: 'attached' });
    await act?.(page);

    const desk = new BlockDesk(await page.context().newPage());
    const path = join(KEPT, `${screen.name}-${colorScheme}.png`);
    const kept = WRITES ? null : await desk.read(path);
    let last = await desk.photograph(page);
    for (let alike = 0; alike < STILL; ) {
      if (kept !== null && differenceOf(kept, last) <= MOST_DIFFERENT) return;
      const next = await desk.photograph(page);
      alike = differenceOf(last, next) === 0 ? alike + 1 : 0;
      last = next;
    }
    if (WRITES) return desk.write(path, last);
    const share = kept === null ? 1 : differenceOf(kept, last);
    expect(
      share,
      `${(100 * share).toFixed(1)} % of ${path} differ. If that is meant, run this file with ` +
        'PERF_TS_WRITE_SCREENS=1, and look at what it writes.',
    ).toBeLessThanOrEqual(MOST_DIFFERENT);
  });
});
