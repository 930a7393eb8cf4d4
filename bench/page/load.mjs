// node bench/page/load.mjs FILE [OTHER]
//
// What moves and what takes long while the page of FILE loads in a window of 1280 by 720: the longest task
// of its main thread (0 below 50 ms), the sum of layout shifts, the height of what stands around the view,
// and the share of the window that view and list have. OTHER: what it is compared with.

import { chromium } from 'playwright-core';
import { servePage } from '../measure.mjs';

const RUNS = 3;
const [WIDTH, HEIGHT] = [1280, 720];
/** Until the report and the intervals are there, which come last. */
const SETTLE_MS = 5000;
const OBSERVE = `
  globalThis.seen = { longest: 0, shift: 0 };
  const observe = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
    .observe({ type, buffered: true });
  observe('longtask', ({ duration }) => { seen.longest = Math.max(seen.longest, duration); });
  observe('layout-shift', ({ value }) => { seen.shift += value; });
`;
const LOOK = `(() => {
  const heightOf = (selector) => document.querySelector(selector)?.getBoundingClientRect().height ?? 0;
  const around = ['.head-bar', '.tracks', '.tab-bar', '.status-line'].map(heightOf);
  return { ...seen, around: around.reduce((sum, one) => sum + one, 0), work: heightOf('.work') - heightOf('.tracks') };
})()`;

const files = process.argv.slice(2);
const args = ['--no-sandbox', '--disable-gpu'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
const { url, stop } = await servePage(...files);
try {
  console.log('| longest task, ms | layout shift | around the view, px | view and list |');
  console.log('| --- | --- | --- | --- |');
  for (let run = 0; run < RUNS; run++) {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
    await page.addInitScript(OBSERVE);
    await page.goto(url);
    await page.waitForTimeout(SETTLE_MS);
    const { longest, shift, around, work } = await page.evaluate(LOOK);
    const share = `${((100 * work) / HEIGHT).toFixed(0)} %`;
    console.log(
      `| ${longest.toFixed(0)} | ${shift.toFixed(4)} | ${around.toFixed(0)} | ${share} |`,
    );
    await page.close();
  }
} finally {
  await browser.close();
  await stop();
}
