// node bench/page/redraw.mjs FILE [RUNS] [HASH]
//
// Prints the work that the page of FILE makes for its main thread, from a key until nothing is under way: zoom into a
// heavy frame, all of it again, the tab Functions, and the flame graph again. CPU is what the kernel says that the
// renderer's main thread ran (schedstat), script, style and layout are wall-clock time by the browser's counters, as is
// the longest task by its observer of long tasks, 0 below 50 ms. HASH is added to the address: '&frames=all'.

import { median, servePage } from '../measure.mjs';
import { mainThreadTimes } from './main-thread.mjs';

const CHROMIUM = '/usr/bin/chromium';
const WINDOWS = [
  [1280, 720],
  [1920, 1080],
];
const PATIENCE_MS = 180_000;
/** Until the tracks, the report and the intervals are there: they are not what is measured. */
const SETTLE_MS = 6000;
/** A redraw and all that follows from it; intervals are asked for after 600 ms. */
const REDRAW_MS = 550;

const [file, runs = '5', hash = ''] = process.argv.slice(2);
const { chromium } = await import('playwright-core');
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
const browser = await chromium.launch({ executablePath: CHROMIUM, args });
const { url, stop } = await servePage(file);
try {
  console.log('| window | what | frames | CPU, ms | script | style | layout | longest task |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [width, height] of WINDOWS) await look(url, width, height);
} finally {
  await browser.close();
  await stop();
}

async function look(url, width, height) {
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(watchTasks);
  await page.goto(`${url}#shape=icicle${hash}`);
  await page.locator('.frame').first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const seen = { Functions: [], 'back to Flame': [], zoom: [], 'zoom out': [] };
  for (let run = 0; run < Number(runs); run++) {
    seen.Functions.push(await redraw(page, session, '2'));
    seen['back to Flame'].push(await redraw(page, session, '1'));
    await page.locator('.chart').focus();
    for (const key of ['ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
      await page.keyboard.press(key);
    await page.waitForTimeout(REDRAW_MS);
    seen.zoom.push(await redraw(page, session, 'Enter'));
    seen['zoom out'].push(await redraw(page, session, 'Escape'));
    // No function is chosen again: its callers and callees are not among the rows.
    await page.evaluate(() => window.history.go(-2));
    await page.waitForTimeout(REDRAW_MS);
  }
  for (const [what, redraws] of Object.entries(seen)) {
    const of = (key) => median(redraws.map((one) => one[key])).toFixed(0);
    console.log(
      `| ${width}×${height} | ${what} | ${of('frames')} | ${of('cpu')} | ${of('script')} | ` +
        `${of('style')} | ${of('layout')} | ${of('longest')} |`,
    );
  }
  await page.close();
}

async function redraw(page, session, key) {
  const before = await metrics(session);
  const ranBefore = await mainThreadTimes(browser);
  await page.evaluate(() => window.tasks.splice(0));
  await page.keyboard.press(key);
  await page.waitForTimeout(REDRAW_MS);
  const ranAfter = await mainThreadTimes(browser);
  const after = await metrics(session);
  const spent = (name) => (after[name] - before[name]) * 1000;
  const { frames, longest } = await page.evaluate(() => ({
    frames: document.querySelectorAll('.chart .frame').length,
    longest: Math.max(0, ...window.tasks),
  }));
  return {
    frames,
    longest,
    cpu: Math.max(...[...ranAfter].map(([pid, ms]) => ms - (ranBefore.get(pid) ?? ms))),
    script: spent('ScriptDuration'),
    style: spent('RecalcStyleDuration'),
    layout: spent('LayoutDuration'),
  };
}

async function metrics(session) {
  const { metrics: list } = await session.send('Performance.getMetrics');
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

/** In the page, before its own code. */
function watchTasks() {
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.tasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
}
