// What people come for, and how few actions it takes in a window of 1280 by 720.

import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser } from './browser.ts';
import {
  foldedText,
  nodeServer,
  offCpu,
  pageFaults,
  systemWide,
  tsxScript,
} from './kinds-of-recordings.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

const WIDTH = 1280;
const HEIGHT = 720;

/** A box that lies in the window and that nothing cuts or covers: what a person sees of it. */
async function expectInView(what: Locator): Promise<void> {
  const box = await what.boundingBox();
  if (box === null) throw new Error('it is not drawn');
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(WIDTH);
  expect(box.y + box.height).toBeLessThanOrEqual(HEIGHT);
  const isOnTop = await what.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const { ownerDocument: page } = element;
    const hit = page.elementFromPoint(left + width / 2, top + height / 2);
    return hit !== null && (element.contains(hit) || hit.closest('.frame') === element);
  });
  expect(isOnTop).toBe(true);
}

const rows = (page: Page) => page.locator('.where-row');

describeBrowser('the hottest own function', (tab) => {
  it.each([
    ['a server of Node', nodeServer, 'score'],
    ['a script by tsx', tsxScript, 'digest'],
    ['C with page faults', pageFaults, 'mix'],
    ['the whole machine', systemWide, 'sad_16x16'],
    ['waits beside ticks', offCpu, 'merge_rows'],
    ['folded text', foldedText, 'fib'],
  ])('the hottest own function is in the window on opening: %s', async (_, text, name) => {
    const server = await serveTexts(text());
    const { page } = await tab.visit(server.url, { width: WIDTH, height: HEIGHT });
    const row = rows(page).filter({ hasText: name }).first();
    await row.waitFor();
    await expectInView(row);
    // A frame of it, wherever in the graph; its text may lie over it.
    const frame = page.locator(`.frame[name="${name}"], .frame[name^="${name} "]`).first();
    await frame.waitFor();
    await expectInView(frame);
  });
});

describeBrowser('a question to a recording', (tab) => {
  let server: ViewServer;
  let plain: ViewServer;
  let two: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(nodeServer());
    plain = await serveTexts(recordingText());
    two = await serveTexts(recordingText({ slow: 30 }), recordingText());
  });
  const visit = async ({ url }: ViewServer) =>
    (await tab.visit(url, { width: WIDTH, height: HEIGHT })).page;

  it('callers of the hottest function are one click away', async () => {
    const page = await visit(server);
    await rows(page).filter({ hasText: 'score' }).first().click();
    const callers = page.locator('.chosen .callers');
    await expect.poll(() => callers.innerText()).toMatch(/scoreBody/);
    await expectInView(callers.getByText('scoreBody').first());
  });

  it('the thread that runs the hottest function, and when, is shown without any action', async () => {
    const page = await visit(plain);
    const strips = page.locator('.chosen .strip-label');
    await expect.poll(() => strips.first().innerText()).toMatch(/^\d+\.\d+%\s*(server|worker)/);
    await expectInView(strips.first());
    await expectInView(page.locator('.strip-plot canvas'));
  });

  it('tracks show only what a focused function ran', async () => {
    const page = await visit(plain);
    const names = async () => (await page.locator('.track-name').allInnerTexts()).join(' ');
    await expect.poll(names).toContain('worker');
    // It is called in odd milliseconds, in which the worker never runs.
    await rows(page).filter({ hasText: 'memcpy' }).first().click();
    await page.locator('.details-actions').getByText('Focus').click();
    await expect.poll(names).not.toContain('worker');
    expect(await names()).toContain('server');
  });

  it('work of a thread in a burst is found by its name and a drag', async () => {
    const page = await visit(plain);
    await page.locator('.track-label', { hasText: 'worker' }).click();
    const plot = (await page.locator('.track-plot').boundingBox())!;
    const y = plot.y + plot.height / 2;
    await page.mouse.move(plot.x + 0.6 * plot.width, y);
    await page.mouse.down();
    await page.mouse.move(plot.x + 0.9 * plot.width, y, { steps: 3 });
    await page.mouse.up();
    // The second half renders, and nothing else is left.
    const names = async () => (await rows(page).allInnerTexts()).join(' ');
    await expect.poll(names).not.toContain('readToken');
    expect(await names()).toMatch(/paintCell|memcpy/);
  });

  it('the trust in the sampling is shown without any action', async () => {
    const page = await visit(plain);
    const badge = page.locator('.trust-badge');
    await expect.poll(() => badge.innerText()).toMatch(/^[✓!✗] /);
    await expectInView(badge);
  });

  it('the function that became slower is the first row once two recordings are opened', async () => {
    const page = await visit(two);
    const first = page.locator('.diff-table tbody tr').first();
    await first.waitFor();
    expect(await first.innerText()).toMatch(/skipSpace|memcpy|paintCell/);
    await expectInView(first);
  });
});
