// The turns of an event loop on the page: two of 100 ms and 50 ms, a sample each millisecond.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { encodeAppendix } from '../../src/formats/perf-data/appendix.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { LOOP_TURNS_ATTACHMENT } from '../../src/read/jit/attachment-names.ts';
import type { ViewServer } from '../../src/view/server.ts';
import { perfDataFile, plainSample } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { TurnStream } from '../helpers/turn-stream.ts';
import { describeBrowser, stateOf } from './browser.ts';
import { serveFile } from './served.ts';

const MS = 1e6;
const clock = newAttr({
  type: PERF_TYPE.SOFTWARE,
  config: BigInt(PERF_COUNT_SW.CPU_CLOCK),
  samplePeriod: MS,
  sampleType: PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME,
  flags: { sampleIdAll: true },
});

describeBrowser('turns of an event loop on the page', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const path = join(scratchDirectory(), 'perf.data');
    const records = Array.from({ length: 1000 }, (_, i) =>
      plainSample({ id: 1, ip: 0x1000, pid: 7, tid: 7, time: (i + 1) * MS }),
    );
    const turns = new TurnStream(7)
      .turn({ fromNs: 200 * MS, lengthNs: 100 * MS })
      .turn({ fromNs: 400 * MS, lengthNs: 50 * MS });
    const bytes = turns.attachment();
    const appendix = encodeAppendix([
      { name: `${LOOP_TURNS_ATTACHMENT}7`, packing: 'none', unpackedSize: bytes.length, bytes },
    ]);
    const file = perfDataFile({ attrs: [{ attr: clock, ids: [1] }], records });
    writeFileSync(path, Buffer.concat([file, ...appendix]));
    server = await serveFile(path);
  });

  it('a slow turn is one click from its flame chart, on its lane above any view and in the list', async () => {
    const { page } = await tab.visit(server.url);
    const list = page.getByRole('button', { name: 'turns · ≤ 100.0 ms' });
    await list.click();
    const turns = page.locator('.lane-item');
    await expect.poll(() => turns.count()).toBe(2);
    expect(await turns.nth(0).innerText()).toMatch(/^100.0 ms at 0.199000 s/);
    await turns.nth(1).click();
    // Samples begin at 1 ms, which is moment 0 of the recording.
    const shown = async () => (await stateOf(page)).get('ruler');
    await expect.poll(shown).toMatch(/^\d+-\d+$/);
    const [from, to] = String(await shown())
      .split('-')
      .map(Number);
    expect(to - from).toBe(50 * MS);
    await page.goto(`${server.url}#tab=table`);
    await list.waitFor();
    const box = await page.locator('.lane-plot').boundingBox();
    if (box === null) throw new Error('there are no lanes');
    await page.mouse.click(box.x + box.width * 0.25, box.y + box.height / 2);
    await expect
      .poll(async () => {
        const [start = 0, end = 0] = (await shown())?.split('-').map(Number) ?? [];
        return end - start;
      })
      .toBe(100 * MS);
    expect((await stateOf(page)).get('tab')).toBe('time');
  });

  it('samples in slow turns alone are shown in all views', async () => {
    const { page } = await tab.visit(server.url);
    await page.getByRole('button', { name: 'All samples' }).click();
    await page
      .getByRole('combobox', { name: 'Turns' })
      .selectOption({ label: 'in turns over 100 ms: 1 turns' });
    await expect.poll(async () => (await stateOf(page)).get('inTurnsOver')).toBe('100');
    await expect.poll(() => page.locator('body').innerText()).toContain('turns over 100 ms');
    await expect.poll(() => page.locator('body').innerText()).toMatch(/all\s+100\.0 ms/);
  });
});
