// node bench/page/storm.mjs FILE [RUNS]
//
// Clicks and searches without a pause in the first seconds after the flame graph of FILE is painted,
// while the page's worker computes all that fills in: tracks, intervals, the report. How long each
// took until it was drawn, and how long the worker was asked for each kind of answer.

import { median, servePage } from '../measure.mjs';

const CHROMIUM = '/usr/bin/chromium';
const STORM_MS = 3000;
const PATIENCE_MS = 180_000;

const [file, runs = '3'] = process.argv.slice(2);
const { chromium } = await import('playwright-core');
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
const browser = await chromium.launch({ executablePath: CHROMIUM, args });
const seen = [];
try {
  for (let run = 0; run < Number(runs); run++) seen.push(...(await look(run)));
} finally {
  await browser.close();
}
console.log('| what | times | median, ms | worst, ms |\n| --- | --- | --- | --- |');
for (const what of [...new Set(seen.map((one) => one.what))].sort()) {
  const taken = seen.filter((one) => one.what === what).map(({ ms }) => ms);
  const figures = [median(taken), Math.max(...taken)].map((ms) => ms.toFixed(0));
  console.log(`| ${what} | ${taken.length} | ${figures.join(' | ')} |`);
}

/** What happened in one look: `{ what, ms }`. */
async function look(run) {
  const { url, stop } = await servePage(file);
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 720 },
      reducedMotion: 'reduce',
    });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.addInitScript(watchWorker);
    await page.goto(url);
    await page.waitForFunction(() => document.querySelector('.frame') !== null);
    const seen = await page.evaluate(storm, { seed: run + 1, forMs: STORM_MS });
    await page.close();
    return seen;
  } finally {
    await stop();
  }
}

/** In the page, before its own code: notes how long each answer of a worker takes. */
function watchWorker() {
  const RealWorker = window.Worker;
  window.answers = [];
  window.Worker = function watched(...parameters) {
    const worker = new RealWorker(...parameters);
    const asked = new Map();
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message, ...rest) => {
      if ('kind' in message) asked.set(message.id, [message.kind, performance.now()]);
      post(message, ...rest);
    };
    worker.addEventListener('message', ({ data }) => {
      const [kind, start] = asked.get(data.id);
      window.answers.push({ what: `worker: ${kind}`, ms: performance.now() - start });
    });
    return worker;
  };
}

/** In the page: a click or a search after the other, at places that depend on the seed. */
async function storm({ seed, forMs }) {
  const chart = document.querySelector('.chart');
  const input = document.querySelector('input[aria-label="Search functions"]');
  const output = document.querySelector('.search-result');
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const drawn = async () => {
    do await painted();
    while (chart.hasAttribute('aria-busy'));
  };
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  const seen = [];
  const time = async (what, act) => {
    const start = performance.now();
    await act();
    seen.push({ what, ms: performance.now() - start });
  };
  // The first tree was waited for by nobody who clicked.
  window.answers.length = 0;
  const end = performance.now() + forMs;
  for (let turn = 1; performance.now() < end; turn++) {
    if (turn % 4 === 0) {
      await time('search until its share is shown', async () => {
        input.value = ['leaf', 'deep', '/^b/', 'e'][(turn / 4) % 4];
        input.dispatchEvent(new Event('input', { bubbles: true }));
        do await painted();
        while (!output.textContent.includes('%'));
      });
      input.value = '';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await drawn();
      continue;
    }
    const frames = [...chart.querySelectorAll('.frame')];
    const frame = frames[Math.floor(random() * frames.length)];
    const address = location.hash;
    await time('click until zoomed', async () => {
      frame.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      await drawn();
    });
    // A row that stands for folded ones can't be zoomed into.
    if (location.hash === address) seen.pop();
    document.querySelector('.crumb')?.click();
    await drawn();
  }
  return [...seen, ...window.answers];
}
