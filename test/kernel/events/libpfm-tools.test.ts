// A sample of all names of the installed libpfm4, against its own tools. bench/encodings takes all.

import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Every fortieth: some 2 500 names. */
const STEP = '40';

type Report = {
  readonly missing?: string;
  readonly models: number;
  readonly names: number;
  readonly rows: readonly {
    readonly what: string;
    readonly same: number;
    readonly of: number;
    readonly example: string | null;
  }[];
};

const { stdout, stderr } = spawnSync(
  process.execPath,
  ['bench/encodings/libpfm.mjs', '--step', STEP, '--json'],
  { encoding: 'utf8' },
);
// Without any output it crashed, which is no reason to skip.
const report = JSON.parse(stdout || '{}') as Report;
const why = report.missing === undefined ? 'compared' : `not here: ${report.missing}`;

it.skipIf(report.missing !== undefined)(
  `libpfm's names are encoded as by its own tools (${why})`,
  () => {
    expect(stderr).toBe('');
    expect(report.names).toBeGreaterThanOrEqual(500);
    expect(report.models).toBeGreaterThan(20);
    expect(report.rows.map(({ what }) => what)).toEqual([
      "perf_event_attr, with libpfm's headers",
      'our encoder, from format/, of the registers of check_events',
    ]);
    for (const { what, same, of, example } of report.rows) {
      expect(`${what}: ${same} ${example}`).toBe(`${what}: ${of} null`);
    }
  },
);
