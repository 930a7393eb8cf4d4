// What the tab Sampling says of recordings that were sampled in different ways.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import type { ViewServer } from '../../src/view/server.ts';
import { perfDataFile, plainSample } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { describeBrowser } from './browser.ts';
import { serveFile, serveTexts } from './served.ts';

const FEATURE_HOSTNAME = 3;

const clock = newAttr({
  type: PERF_TYPE.SOFTWARE,
  config: BigInt(PERF_COUNT_SW.CPU_CLOCK),
  samplePeriod: 1000,
  sampleType: PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME,
  flags: { sampleIdAll: true },
});

describeBrowser('the tab Sampling', (tab) => {
  let ofClock: ViewServer;
  let folded: ViewServer;
  beforeAll(async () => {
    const path = join(scratchDirectory(), 'perf.data');
    const records = Array.from({ length: 60 }, (_, i) =>
      plainSample({ id: 1, ip: 0x1000, pid: 7, tid: 7, time: 1000 * (i + 1) }),
    );
    // A file without any feature was cut.
    const features = [[FEATURE_HOSTNAME, Buffer.from('\x08\0\0\0machine\0')]] as const;
    writeFileSync(path, perfDataFile({ attrs: [{ attr: clock, ids: [1] }], records, features }));
    ofClock = await serveFile(path);
    folded = await serveTexts('main;f 3\nmain;g 2\n');
  });
  const visit = async ({ url }: ViewServer, size = {}) => {
    const { page } = await tab.visit(`${url}#tab=period`, size);
    const text = async () => (await page.locator('.sampling').innerText()).replaceAll(/\s+/g, ' ');
    return { page, text };
  };

  it('the sampling tab reads from the judgement to the facts, and plots no period of a clock', async () => {
    const { page, text } = await visit(ofClock);
    await expect
      .poll(text)
      .toMatch(/! 100% unnamed .* Losses .*lost none.* Recording host machine .* Period /);
    expect(await text()).toContain(
      'is a clock: the kernel takes a sample each 1.0 µs of CPU time, so there is no period that ' +
        'could move.',
    );
    expect(await page.locator('.period-plots').isVisible()).toBe(false);
    const headings = await page.locator('.sampling h2').allInnerTexts();
    expect(headings[0]).toBe('! 100% unnamed');
    expect(headings.at(-1)).toBe('Period');
  });

  it('the sampling tab of folded text reports what is not known, and shows no axes', async () => {
    const { page, text } = await visit(folded);
    await expect.poll(text).toContain('! Sampling unknown');
    await expect.poll(text).toContain('lost not known');
    await expect.poll(text).toContain('does not say at which periods samples were taken');
    expect(await text()).not.toMatch(/every 1 events|as asked/);
    expect(await page.locator('.period-plots').isVisible()).toBe(false);
  });

  it('the head counts folded samples once, and the graph fills the window without tracks', async () => {
    const { page } = await visit(folded);
    await expect.poll(() => page.locator('.facts').innerText()).toBe('5 samples');
    const { y = 0, height = 0 } = (await page.locator('.status-line').boundingBox()) ?? {};
    expect(y + height).toBeCloseTo(720, 0);
  });

  it('the sampling tab scrolls by itself and can be reached by keys', async () => {
    const { page, text } = await visit(ofClock, { width: 400, height: 800 });
    await expect.poll(text).toContain('Recording');
    await page.locator('#panel').evaluate((panel) => {
      panel.style.height = '200px';
    });
    const sampling = page.getByRole('region', { name: 'Sampling' });
    await sampling.focus();
    await page.keyboard.press('End');
    await expect.poll(() => sampling.evaluate((box) => box.scrollTop)).toBeGreaterThan(100);
    expect(await sampling.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  });
});
