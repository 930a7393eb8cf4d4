// node bench/page/beside-speedscope.mjs FILE [RUNS]
//
// CPU of the page's main thread for what a hand does, beside speedscope with the same data in the same browser: the
// page of FILE, and speedscope as its Share menu opens it. Functions is beside the tab Sandwich, a click on a frame
// beside a double click, the wheel on the ruler beside the wheel in speedscope's time order. CPU is what the kernel
// says that the thread ran (schedstat); medians.

import { median, servePage } from '../measure.mjs';
import { cpuOf } from './main-thread.mjs';

const CHROMIUM = '/usr/bin/chromium';
const PATIENCE_MS = 180_000;
/** Until the tracks, the report and the intervals are there: they are not what is measured. */
const SETTLE_MS = 6000;
/** One act and all that follows from it. */
const ACT_MS = 900;
const WHEELS = 20;
const viewport = { width: 1920, height: 1080 };

const [file, runs = '5'] = process.argv.slice(2);
const { chromium } = await import('playwright-core');
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
const browser = await chromium.launch({ executablePath: CHROMIUM, args });
const { url, stop } = await servePage(file);
try {
  const page = await ours();
  const peer = await speedscope();
  console.log('| what | ours, ms | speedscope, ms | ours ÷ speedscope |');
  console.log('| --- | --- | --- | --- |');
  for (const what of Object.keys(page)) {
    const [a, b] = [median(page[what]), median(peer[what])];
    console.log(`| ${what} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${(a / b).toFixed(2)} |`);
  }
} finally {
  await browser.close();
  await stop();
}

async function measure(page, seen, what, act) {
  const cpu = await cpuOf(browser, async () => {
    await act();
    await page.waitForTimeout(ACT_MS);
  });
  seen[what] = [...(seen[what] ?? []), cpu];
}

async function wheel(page, x, y, delta) {
  await page.mouse.move(x, y);
  for (let turn = 0; turn < WHEELS; turn++) {
    await page.mouse.wheel(0, delta);
    await page.waitForTimeout(16);
  }
}

async function ours() {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  await page.locator('.frame').first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const seen = {};
  for (let run = 0; run < Number(runs); run++) {
    await measure(page, seen, 'Functions', () => page.keyboard.press('2'));
    await page.keyboard.press('1');
    await page.waitForTimeout(ACT_MS);
    const frame = await frameInRow(page, 4);
    await measure(page, seen, 'zoom by a click', () => page.mouse.click(frame.x, frame.y));
    // To the picture before, or the next click would zoom into nothing.
    await page.evaluate('history.back()');
    await page.waitForTimeout(ACT_MS);
    const ruler = await page.locator('.ruler').boundingBox();
    const [x, y] = [ruler.x + ruler.width / 2, ruler.y + 4];
    await measure(page, seen, 'zoom of time, 20 turns', () => wheel(page, x, y, -60));
    await wheel(page, x, y, 200);
    await page.waitForTimeout(ACT_MS);
    const chart = await page.locator('.chart').boundingBox();
    const [cx, cy] = [chart.x + chart.width / 4, chart.y + 90];
    await measure(page, seen, 'zoom of the graph, 20 turns', async () => {
      await page.keyboard.down('Control');
      await wheel(page, cx, cy, -60);
      await page.keyboard.up('Control');
    });
    await page.keyboard.press('Escape');
    await page.waitForTimeout(ACT_MS);
  }
  await page.close();
  return seen;
}

/** The middle of the widest frame in a row. */
function frameInRow(page, row) {
  return page.evaluate((row) => {
    const frames = [...document.querySelectorAll('.chart .frame')].map((one) =>
      one.getBoundingClientRect(),
    );
    const tops = [...new Set(frames.map(({ top }) => Math.round(top)))].sort((a, b) => a - b);
    const inRow = frames.filter(({ top }) => Math.round(top) === tops[row]);
    const { left, width, top, height } = inRow.sort((a, b) => b.width - a.width)[0];
    return { x: left + width / 2, y: top + height / 2 };
  }, row);
}

async function speedscope() {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(PATIENCE_MS);
  const address = new URL('speedscope/index.html', url);
  await page.goto(`${address}#profileURL=../download/0/speedscope&title=a`);
  await page.getByText('Sandwich').waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const seen = {};
  const [x, y] = [viewport.width / 4, 400];
  for (let run = 0; run < Number(runs); run++) {
    await page.keyboard.press('2');
    await page.waitForTimeout(ACT_MS);
    await measure(page, seen, 'Functions', () => page.keyboard.press('3'));
    await page.keyboard.press('2');
    await page.waitForTimeout(ACT_MS);
    await measure(page, seen, 'zoom by a click', () => page.mouse.dblclick(x, 240));
    await page.keyboard.press('0');
    await page.waitForTimeout(ACT_MS);
    await measure(page, seen, 'zoom of the graph, 20 turns', () => wheelHeld(page, x, y));
    await page.keyboard.press('0');
    await page.keyboard.press('1');
    await page.waitForTimeout(ACT_MS);
    await measure(page, seen, 'zoom of time, 20 turns', () => wheelHeld(page, x, y));
    await page.keyboard.press('0');
  }
  await page.close();
  return seen;
}

/** speedscope zooms while a key is held. */
async function wheelHeld(page, x, y) {
  await page.keyboard.down('Control');
  await wheel(page, x, y, -60);
  await page.keyboard.up('Control');
}
