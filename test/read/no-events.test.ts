import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfDataFile } from '../helpers/record-builder.ts';

const folder = mkdtempSync(join(tmpdir(), 'no-events-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a recording without events has an empty report, weights of every kind and exports', async () => {
  const path = join(folder, 'perf.data');
  writeFileSync(path, perfDataFile({ attrs: [], records: [] }));
  const opened = await openProfile(path, { kallsyms: '/dev/null', symfs: folder });
  expect(opened.profile.events).toEqual([]);
  expect(opened.report()).toMatchObject({ samples: 0, weight: 0, bySymbol: [], byThread: [] });
  for (const weight of ['samples', 'events', 'period', 'time'] as const) {
    expect(opened.report({ weight }).weight).toBe(0);
  }
  expect(opened.periods().events).toEqual([]);
  for (const format of ['folded', 'speedscope', 'cpuprofile', 'firefox'] as const) {
    expect(opened.export(format)).not.toContain('undefined');
  }
});
