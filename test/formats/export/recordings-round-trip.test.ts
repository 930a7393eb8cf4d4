// Every recording through every export: out, back in, compared, out again, identical.

import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { PerfDataError } from '../../../src/base/errors.ts';
import { finish } from '../../../src/base/slices.ts';
import { decodePageData, encodePageData } from '../../../src/formats/export/page-data.ts';
import { type OpenedProfile, openProfile } from '../../../src/read/open-profile.ts';
import { describePageProfile } from '../../../src/read/outputs/describe-page-profile.ts';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { compileWorkload } from '../../helpers/compile.ts';
import { CORPORA, hasCorpora, isFuzzed, perfDataCorpora } from '../../helpers/corpora.ts';
import { describeLive } from '../../helpers/live.ts';
import { EMPTY_META } from '../../helpers/profile-from-text.ts';
import { checkRoundTrip, FORMATS } from '../../helpers/round-trip.ts';
import { wideColumns } from '../../helpers/wide-columns.ts';

const KINDS = ['period', 'samples'] as const;

/** Their files are numbered in the order of things that they leave out. */
const SETTLING = new Set(['pprof', 'firefox']);

/** All formats for one recording, which is opened once. */
function testAllFormats(name: string, open: () => Promise<OpenedProfile | null>): void {
  describe(name, () => {
    let opened: OpenedProfile | null;
    beforeAll(async () => {
      opened = await open();
    });
    test.each(FORMATS)('exports of $name survive a round trip', (format) => {
      if (opened === null) return;
      // The recorder's command line and machine are said for readers, and not read back.
      const profile = { ...opened.profile, meta: EMPTY_META };
      for (const kind of KINDS) {
        const settles = SETTLING.has(format.name);
        checkRoundTrip(format, profile, opened.weights(kind), { settles });
      }
    });
    test('the page has every sample and all weight', () => {
      if (opened === null) return;
      const page = describePageProfile(opened);
      const held = finish(decodePageData(encodePageData(page)));
      expectSame(held, wideColumns(page));
      expectSame(held.profile.samples, wideColumns(opened.profileAt('all').samples));
      const { values } = opened.weights('period');
      expectSame(held.weights.period?.values, values);
    });
  });
}

/** As `toStrictEqual`, which takes a second for a million numbers and is asked only for the difference. */
function expectSame(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toStrictEqual(expected);
}

describe.skipIf(!hasCorpora)('recordings of the corpora', () => {
  for (const entry of perfDataCorpora()) {
    if (isFuzzed(entry)) continue;
    testAllFormats(entry.file, () =>
      openProfile(join(CORPORA, entry.file)).catch((error) => {
        // What no reader takes is the business of the container's tests.
        if (error instanceof PerfDataError) return null;
        throw error;
      }),
    );
  }
});

describeLive('recordings made here', () => {
  const scratch = scratchDirectory();
  const clock = ['-e', 'cpu-clock', '-F', '2000'];
  const work = () => {
    const workload = compileWorkload();
    return ['sh', '-c', `'${workload}' pf 3000; '${workload}' threads 3 0.1`];
  };
  // Two files of one build ID and name: their functions are rows of one, their frames are not.
  const twoPlaces = () => {
    const copy = join(scratch, basename(compileWorkload()));
    copyFileSync(compileWorkload(), copy);
    return ['sh', '-c', `'${compileWorkload()}' threads 1 0.1; '${copy}' threads 1 0.1`];
  };
  // All frames and those of the opened level differ, and functions have places.
  const javaScript = () => {
    const script = join(scratch, 'script.cjs');
    const work = 'function parse() { for (let i = 0; i < 1e4; i++) JSON.parse("[1, [2]]"); }';
    writeFileSync(script, `${work}\nwhile (process.cpuUsage().user < 3e5) parse();`);
    return [process.execPath, script];
  };
  const cases: readonly [name: string, flags: readonly string[], command: () => string[]][] = [
    ['threads and call chains', [...clock, '-g'], work],
    ['several events', ['-e', 'cpu-clock,page-faults,context-switches', '-F', '2000', '-g'], work],
    ['a group', ['-e', '{cpu-clock,page-faults}:S', '-F', '2000'], work],
    ['all CPUs', [...clock, '-g', '-a'], work],
    ['losses', ['-e', 'cpu-clock', '-F', '20000', '-g', '-m', '1'], work],
    ['a program at two places', [...clock, '-g'], twoPlaces],
    ['JavaScript', [...clock, '-g'], javaScript],
  ];
  for (const [name, flags, command] of cases) {
    testAllFormats(name, () => {
      const file = join(scratch, `${name}.data`);
      const outcome = perfTs(['record', '-q', '-o', file, ...flags, '--', ...command()]);
      expect(outcome).toMatchObject({ status: 0 });
      return openProfile(file);
    });
  }
});
