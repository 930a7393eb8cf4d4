// perf.data → flame graph on the screen: `view` until the page in a browser that runs already has
// painted, whole process; then what a click and a search take. The peer is the way through files:
// perf script, stackcollapse-perf.pl, flamegraph.pl, without the time to open its SVG.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  hasPerf,
  median,
  missingRow,
  outDirectory,
  recordAtLeast,
  servePage,
  stackcollapse,
  time,
} from '../measure.mjs';

const CHROMIUM = '/usr/bin/chromium';
const RUNS = 5;
/** The page asks for intervals so long after a graph was drawn, and has them after so long. */
const INTERVALS_ASKED_MS = 620;
const IDLE_MS = 3000;
/** On a machine that is busy with other work. */
const PATIENCE_MS = 180_000;
/** Linux tells user space of hundredths of a second, whatever its own tick is. */
const MS_PER_TICK = 10;

/** Frames a sample: thread start, burn, deep × 25, leaf. */
const DEPTH = '24';

const FILES = [
  { name: 'view-200k.data', rate: '30000', samples: 200_000, reach: { painted: 0.7, ratio: 20 } },
  {
    name: 'view-1m.data',
    rate: '99999',
    samples: 1_000_000,
    reach: { painted: 4, click: 0.1, search: 0.3 },
  },
];

export async function rows() {
  if (!existsSync(CHROMIUM)) {
    return [missingRow('view, painted', 'chromium')];
  }
  const { chromium } = await import('playwright-core');
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  const results = [];
  try {
    for (const file of FILES) results.push(...(await rowsOf(file, browser)));
  } finally {
    await browser.close();
  }
  return results;
}

async function rowsOf({ name, rate, samples: least, reach }, browser) {
  const file = join(outDirectory, name);
  const samples = `${recordAtLeast(least, rate, DEPTH, file)} samples`;
  const runs = [];
  for (let run = 0; run < RUNS; run++) runs.push(await view(file, browser));
  const of = (key) => median(runs.map((run) => run[key])) / 1000;
  const figure = (what, seconds, reached) => ({
    what: `view, ${samples}: ${what}`,
    ours: `${seconds.toFixed(2)} s`,
    ...(reached !== undefined && { reach: `≤ ${reached} s`, met: seconds <= reached }),
  });
  const results = [
    figure('start until the address is printed', of('served')),
    figure('start until painted', of('painted'), reach.painted),
    figure('CPU time of perf-ts until painted', of('cpu')),
    figure('click until zoomed, nothing else to do', of('click'), reach.click),
    figure('click while the strip is computed', of('clickBesideStrip'), reach.click),
    figure('click while intervals are computed', of('clickBesideIntervals'), reach.click),
    figure('search until its share is shown', of('search'), reach.search),
    {
      what: `view, ${samples}: memory of the tab`,
      ours: `${Math.round(median(runs.map(({ megabytes }) => megabytes)))} MB`,
    },
  ];
  const script = stackcollapse();
  if (reach.ratio !== undefined && hasPerf() && script !== null) {
    const draw = join(dirname(script), 'flamegraph.pl');
    const peer = time(`perf script -i ${file} | ${script} | ${draw}`);
    const against = (what, ours, theirs) => ({
      what: `view, ${samples}: ${what}, against perf script + stackcollapse + flamegraph.pl`,
      ours: `${ours.toFixed(2)} s`,
      peer: `${theirs.toFixed(2)} s`,
      ratio: theirs / ours,
    });
    const painted = against('painted', of('painted'), peer.wall);
    results.push(
      { ...painted, reach: `≥ ${reach.ratio}× faster`, met: painted.ratio >= reach.ratio },
      against('CPU time without the browser', of('cpu'), peer.cpu),
    );
  }
  return results;
}

/** One look at a file: milliseconds. */
async function view(file, browser) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 720 },
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(PATIENCE_MS);
  const start = performance.now();
  const { url, pid, stop } = await servePage(file);
  const served = performance.now() - start;
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector('.frame') !== null);
  await page.evaluate(nextPaint);
  const painted = performance.now() - start;
  const cpu = cpuOf(pid);
  const clickBesideStrip = (await page.evaluate(clickFrames, [0.5]))[0];
  await page.reload();
  await page.waitForFunction(() => document.querySelector('.frame') !== null);
  await page.waitForTimeout(INTERVALS_ASKED_MS);
  const clickBesideIntervals = (await page.evaluate(clickFrames, [0.5]))[0];
  await page.waitForTimeout(IDLE_MS);
  const click = median(await page.evaluate(clickFrames, [0.2, 0.4, 0.6, 0.8, 1]));
  const megabytes = await memoryOf(page);
  const search = await page.evaluate(searchFor, 'leaf');
  await page.close();
  await stop();
  return {
    served,
    painted,
    cpu,
    click,
    clickBesideStrip,
    clickBesideIntervals,
    search,
    megabytes,
  };
}

/** User and system time of a process and its threads until now: milliseconds. */
function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(utime) + Number(stime)) * MS_PER_TICK;
}

/** In the page: what was drawn is on the screen. */
function nextPaint() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
}

/**
 * In the page: clicks a frame at each of these depths (1: the innermost) and waits until the graph was
 * drawn again; back out after each. Milliseconds.
 */
async function clickFrames(depths) {
  const chart = document.querySelector('.chart');
  const drawn = async () => {
    // The graph is busy from the click until the worker has answered and it was drawn.
    do await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    while (chart.hasAttribute('aria-busy'));
  };
  const taken = [];
  for (const depth of depths) {
    const frames = [...chart.querySelectorAll('.frame')].sort(
      (a, b) => b.getBoundingClientRect().top - a.getBoundingClientRect().top,
    );
    const address = location.hash;
    let start = 0;
    // A row that stands for folded ones can't be zoomed into; the one before it can.
    for (let at = Math.floor((frames.length - 1) * depth); at >= 0; at--) {
      start = performance.now();
      frames[at].dispatchEvent(new MouseEvent('click', { bubbles: true }));
      if (location.hash !== address) break;
    }
    await drawn();
    if (location.hash === address) throw new Error('no frame could be zoomed into');
    taken.push(performance.now() - start);
    document.querySelector('.crumb')?.click();
    await drawn();
  }
  return taken;
}

/** Memory of the page's process, worker included: MB. */
async function memoryOf(page) {
  const session = await page.context().newCDPSession(page);
  const { processInfo } = await (await page.context().browser().newBrowserCDPSession()).send(
    'SystemInfo.getProcessInfo',
  );
  await session.detach();
  const resident = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]));
  return Math.max(...resident) / 1024;
}

/** In the page: types a word and waits for the share that it matches. */
async function searchFor(word) {
  const input = document.querySelector('input[aria-label="Search functions"]');
  const output = document.querySelector('.search-result');
  const start = performance.now();
  const shown = new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (!output.textContent.includes('%')) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(done, 0));
    });
    observer.observe(output, { childList: true, subtree: true, characterData: true });
  });
  input.value = word;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await shown;
  return performance.now() - start;
}
