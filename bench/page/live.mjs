// node bench/page/live.mjs FILE [ROOT]
//
// What a live page costs: a recording grows by a twentieth each second, a browser follows. CPU time per
// state shown, of the server (which reads the recording again) and of the browser; how long no graph is
// in the page, and the longest task of its thread. ROOT: another checkout with its own dist/, to compare with.

import { fork } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const STEPS = 20;
const CHROMIUM = '/usr/bin/chromium';
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const [file, root = HERE, childOf] = process.argv.slice(2);

if (childOf === undefined) await followGrowth();
else await serveGrowing(childOf);

async function followGrowth() {
  const directory = mkdtempSync(join(tmpdir(), 'perf-ts-live-'));
  const path = join(directory, 'live.data');
  const bytes = readFileSync(file);
  const until = (step) => Math.floor((bytes.length * step) / STEPS);
  writeFileSync(path, bytes.subarray(0, until(1)));
  const server = fork(fileURLToPath(import.meta.url), [file, root, path]);
  const url = await messageOf(server);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.addInitScript(watchPage);
  let states = -1;
  page.on('request', (request) => {
    if (request.url().endsWith('/profile/0')) states++;
  });
  let loads = -1;
  page.on('load', () => loads++);
  await page.goto(url);
  await page.locator('.frame').first().waitFor();
  const session = await browser.newBrowserCDPSession();
  const browserMs = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return 1000 * processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  const serverMs = () => {
    server.send('cpu');
    return messageOf(server);
  };
  const before = [await browserMs(), await serverMs()];
  for (let step = 2; step <= STEPS; step++) {
    appendFileSync(path, bytes.subarray(until(step - 1), until(step)));
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const after = [await browserMs(), await serverMs()];
  const { missingMs, longestTaskMs, shift } = await page.evaluate(() => globalThis.seen());
  const per = (index) => ((after[index] - before[index]) / states).toFixed(0);
  console.log(
    '| states | loads | browser, ms CPU a state | server | no graph, ms in all | longest task | layout shift |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  console.log(
    `| ${states} | ${loads} | ${per(0)} | ${per(1)} | ${missingMs.toFixed(0)} | ${longestTaskMs.toFixed(0)} | ${shift.toFixed(3)} |`,
  );
  await browser.close();
  server.disconnect();
  rmSync(directory, { recursive: true, force: true });
}

function messageOf(child) {
  return new Promise((resolve) => child.once('message', resolve));
}

/** In the page: sums over its loads, of pictures without any frame, of long tasks and of layout shifts. */
function watchPage() {
  const start = Date.now();
  const kept = JSON.parse(sessionStorage.getItem('seen') ?? 'null');
  const seen = kept ?? { missingMs: 0, longestTaskMs: 0, shift: 0, lastMs: start };
  // From the last picture of the page before.
  let lastMs = seen.lastMs;
  let wasThere = kept !== null;
  let hasBegun = kept !== null;
  const keep = () => sessionStorage.setItem('seen', JSON.stringify({ ...seen, lastMs }));
  const look = () => {
    const nowMs = Date.now();
    const isThere = document.querySelector('.frame') !== null;
    if (hasBegun && (!isThere || nowMs - start < 20)) seen.missingMs += nowMs - lastMs;
    if (isThere) hasBegun = true;
    wasThere = isThere;
    lastMs = nowMs;
    keep();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const observe = (type, act) => {
    new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type });
  };
  observe('longtask', ({ duration }) => {
    if (wasThere) seen.longestTaskMs = Math.max(seen.longestTaskMs, duration);
  });
  observe('layout-shift', ({ value }) => {
    seen.shift += value;
  });
  globalThis.seen = () => seen;
}

async function serveGrowing(path) {
  const load = (part) => import(join(root, 'dist', part));
  const { GrowingFile } = await load('view/growing-file.js');
  const { ThreadedFile } = await load('view/threaded-file.js');
  const { startViewServer } = await load('view/server.js');
  const entry = new URL(`file://${join(root, 'dist/cli/view/view-thread.js')}`);
  const growing = new GrowingFile(path, {
    open: (from) =>
      new ThreadedFile(from, entry, { path: from, isLive: true, flags: {} }, { isLive: true }),
    isWatched: () => server.streams.isWatched,
    onGrowth: () => server.streams.grow(),
    onProblem: ({ message }) => console.error(message),
  });
  const server = await startViewServer([growing], { port: 0, isLive: true, users: null });
  growing.follow();
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send((user + system) / 1000);
  });
  process.on('disconnect', () => process.exit());
  process.send(server.url);
}
