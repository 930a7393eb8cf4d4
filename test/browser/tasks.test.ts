// What people come for, and how few actions it takes in a window of 1280 by 720.

import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import {
  foldedText,
  nodeServer,
  offCpu,
  pageFaults,
  systemWide,
  tsxScript,
} from './kinds-of-recordings.ts';
import { recordingText, sample } from './recording-text.ts';
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
    const drawn = page.locator(`.frame[name="${name}"], .frame[name^="${name} "]`).first();
    await drawn.waitFor();
    await expectInView(drawn);
  });
});

/** A build: many short processes, of which none has much. */
function shortJobs(): string {
  const jobs = Array.from({ length: 600 }, (_, ms) => {
    const pid = 1000 + Math.floor(ms / 5);
    return sample(`job-${pid}`, pid, pid, ms, ['compile (/usr/bin/cc)', 'main (/usr/bin/cc)']);
  });
  return jobs.join('\n');
}

/** A file as `node --cpu-prof` writes it. */
function cpuProfile(): string {
  const frame = { scriptId: '1', url: 'file:///srv/app.js', columnNumber: 0 };
  const root = { ...frame, scriptId: '0', url: '', functionName: '(root)', lineNumber: -1 };
  const work = { ...frame, functionName: 'work', lineNumber: 4 };
  const ticks = [{ line: 6, ticks: 100 }];
  return JSON.stringify({
    nodes: [
      { id: 1, callFrame: root, hitCount: 0, children: [2] },
      { id: 2, callFrame: work, hitCount: 100, positionTicks: ticks },
    ],
    startTime: 0,
    endTime: 100_000,
    samples: Array(100).fill(2),
    timeDeltas: Array(100).fill(1000),
  });
}

describeBrowser('what one asks first', (tab) => {
  const PART = /\d%/;
  /** The places of the answers, and their texts; a recording that cannot answer has the reason in their place. */
  const ANSWERS = [
    ['what is hottest', '.where-row', PART],
    ['who calls it', '.chosen .callers .neighbour', PART],
    ['which lines', '.chosen .lines li', /\d%|It only calls others/],
    ['which threads run it', '.strips :is(.strip-label, p:not(:empty))', /\d%|no time stamps/],
    ['when', '.strips p:not(:empty)', /full height|no time stamps/],
    ['which thread is busy', ':is(.track-label, .strips p:not(:empty))', /\d%|no time stamps/],
    ['whether to believe it', '.trust-badge', /^[✓!✗] /],
  ] as const;

  it.each([
    ['a server of Node', nodeServer],
    ['a script by tsx', tsxScript],
    ['C with page faults', pageFaults],
    ['the whole machine', systemWide],
    ['waits beside ticks', offCpu],
    ['a text of perf script', recordingText],
    ['many short jobs', shortJobs],
    ['a profile of V8', cpuProfile],
    ['folded text', foldedText],
  ])('%s answers on opening, or has the reason in place', async (_, text) => {
    const server = await serveTexts(text());
    const { page } = await tab.visit(server.url, { width: WIDTH, height: HEIGHT });
    for (const [question, where, answer] of ANSWERS) {
      const first = page.locator(where).first();
      await expect.poll(() => first.innerText(), { message: question }).toMatch(answer);
    }
    await expectInView(page.locator('.where-row').first());
    await expectInView(page.locator('.chosen .callers .neighbour').first());
    await expectInView(page.locator('.strips :is(.strip-label, p:not(:empty))').first());
    await expectInView(page.locator('.trust-badge'));
  });

  it('the jobs of a build are one row of the graph, which the root by process tells apart', async () => {
    const server = await serveTexts(shortJobs());
    const { page } = await tab.visit(server.url, { width: WIDTH, height: HEIGHT });
    await expectInView(frame(page, 'job-*'));
    await page.getByRole('button', { name: '⚙' }).click();
    await page.getByLabel('Stack root').selectOption('process');
    await frame(page, 'job-1000 (pid 1000)').waitFor();
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
