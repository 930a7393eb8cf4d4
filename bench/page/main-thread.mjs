// The CPU time of a page's main thread, as the kernel counts it.

import { readFileSync } from 'node:fs';

/** Milliseconds that the main thread of each renderer has run, by pid. */
export async function mainThreadTimes(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return new Map(
    renderers.map(({ id }) => {
      const [ns] = readFileSync(`/proc/${id}/task/${id}/schedstat`, 'utf8').split(' ');
      return [id, Number(ns) / 1e6];
    }),
  );
}

/** Milliseconds that the busiest of them ran meanwhile. */
export async function cpuOf(browser, act) {
  const before = await mainThreadTimes(browser);
  await act();
  const after = await mainThreadTimes(browser);
  return Math.max(...[...after].map(([pid, ms]) => ms - (before.get(pid) ?? ms)));
}
