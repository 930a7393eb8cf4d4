// What the page says of a recording that lost forks, execs or mappings.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import type { ViewServer } from '../../src/view/server.ts';
import { perfDataFile, plainSample, record } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { describeBrowser } from './browser.ts';
import { serveFile } from './served.ts';

const fields = {
  type: PERF_TYPE.SOFTWARE,
  samplePeriod: 1000,
  sampleType: PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME,
  flags: { sampleIdAll: true },
};
const clock = newAttr({ ...fields, config: BigInt(PERF_COUNT_SW.CPU_CLOCK) });
const sideband = newAttr({ ...fields, config: BigInt(PERF_COUNT_SW.DUMMY) });

describeBrowser('the page of a recording that lost side-band records', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const path = join(scratchDirectory(), 'perf.data');
    const attrs = [
      { attr: clock, ids: [1] },
      { attr: sideband, ids: [2] },
    ];
    const lost = record(PERF_RECORD.LOST_SAMPLES, 0, (out) =>
      out.u64(1234).u32(7).u32(7).u64(2000).u64(2),
    );
    const records = [
      ...[1000, 1500].map((time) => plainSample({ id: 1, ip: 0x1000, pid: 7, tid: 7, time })),
      lost,
    ];
    writeFileSync(path, perfDataFile({ attrs, records }));
    server = await serveFile(path);
  });

  it('the badge says that names are uncertain, and why', async () => {
    const { page } = await tab.visit(server.url);
    const badge = page.locator('.trust-badge');
    await expect.poll(() => badge.innerText()).toMatch(/^✗/);
    expect(await badge.getAttribute('title')).toMatch(
      /1.234 side-band records were lost \(forks, execs, mappings\)/,
    );
  });
});
