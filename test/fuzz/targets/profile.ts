// A recording from its bytes to reports, exports, the page's data and a rewritten file.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPeriods } from '../../../src/cli/render/periods-text.ts';
import { completenessLines } from '../../../src/cli/report/completeness-lines.ts';
import { formatDump } from '../../../src/cli/script/dump-text.ts';
import type { ScriptField } from '../../../src/cli/script/fields.ts';
import { formatRecord } from '../../../src/cli/script/record-text.ts';
import { formatSample } from '../../../src/cli/script/sample-text.ts';
import { encodePageData } from '../../../src/formats/export/page-data.ts';
import { encodePageReport } from '../../../src/formats/export/page-report.ts';
import { checkProfile } from '../../../src/profile/check.ts';
import { exportPprof } from '../../../src/read/export-pprof.ts';
import { EXPORT_FORMATS } from '../../../src/read/export-profile.ts';
import { openProfile } from '../../../src/read/open-profile.ts';
import { describePageProfile } from '../../../src/read/page-profile.ts';
import { describePageReport } from '../../../src/read/page-report.ts';
import { readInfo } from '../../../src/read/recording-info.ts';
import { rewriteRecording } from '../../../src/rewrite/rewrite-recording.ts';
import { dumpRecords } from '../../../src/tools/script/dump-records.ts';
import { visitRecords } from '../../../src/tools/script/record-stream.ts';
import { below, pick, type Random } from '../mutate-bytes.ts';
import { checkShown, isSaid, type Target } from '../target.ts';
import { mutateOneRecording, recordingSeeds } from './recording.ts';

let scratch: string | null = null;

/** Removes the folder: a worker of vitest does not end as a process does. */
export function removeScratchFolder(): void {
  if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  scratch = null;
}

/** A folder in memory where there is one; gone with the process. */
function scratchFolder(): string {
  if (scratch === null) {
    scratch = mkdtempSync(join(tmpdir(), 'perf-ts-fuzz-'));
    process.once('exit', removeScratchFolder);
  }
  return scratch;
}

function written(bytes: Uint8Array): string {
  const path = join(scratchFolder(), 'damaged');
  writeFileSync(path, bytes);
  return path;
}

const STYLE = {
  fields: [new Set<ScriptField>(['comm', 'tid', 'time', 'ip', 'sym', 'dso', 'event', 'period'])],
  nanoseconds: true,
  nameWidth: 8,
};

async function readProfile(bytes: Uint8Array, random: Random): Promise<void> {
  const opened = await openProfile(written(bytes), {
    symbols: random() < 0.3,
    // Nothing of this machine's own files, which say more of it than of the recording.
    symfs: scratchFolder(),
    kallsyms: '/nonexistent',
  });
  checkProfile(opened.profile);
  const kinds = ['samples', 'period', 'events', 'time'] as const;
  for (const kind of kinds) refusable(() => opened.weights(kind));
  if (opened.profile.events.length > 0) {
    const weight = pick(random, kinds);
    refusable(() => opened.report({ weight }));
  }
  completenessLines(opened, true).forEach(checkShown);
  const report = opened.periods({ streams: 'all' });
  if (random() < 0.3) formatPeriods(report).forEach(checkShown);
  opened.marks(report);
  opened.ledgers();
  const format = pick(random, [...EXPORT_FORMATS, 'pprof'] as const);
  if (format === 'html') {
    const data = encodePageData(describePageProfile(opened));
    if (data.length === 0) throw new Error('no page data');
    encodePageReport(describePageReport(opened));
  } else if (format === 'pprof') await exportPprof(opened);
  else if (opened.profile.events.length > 0) refusable(() => opened.export(format));
}

function readRecords(bytes: Uint8Array, random: Random): void {
  const path = written(bytes);
  const kind = below(random, 4);
  if (kind === 0) {
    readInfo(path);
  } else if (kind === 1) {
    dumpRecords(path, (record) => checkShown(formatDump(record)));
  } else if (kind === 2) {
    const output = join(scratchFolder(), 'rewritten');
    const buildIds = pick(random, ['keep', 'remove', 'add'] as const);
    rewriteRecording(path, output, {
      stripKernel: random() < 0.5,
      anonymize: random() < 0.5,
      dropStacks: random() < 0.3,
      buildIds,
    });
    readInfo(output);
  } else {
    const isText = random() < 0.6;
    visitRecords(
      path,
      { symbols: { symfs: scratchFolder(), kallsyms: '/nonexistent' } },
      isText
        ? {
            record: (described) => checkShown(formatRecord(described, STYLE)),
            sampleText: (sample) => {
              const fields = Array(sample.event + 1).fill(STYLE.fields[0]);
              checkShown(formatSample(sample, { ...STYLE, fields }));
            },
          }
        : {
            record: (described) =>
              void JSON.stringify(described, (_key, value) =>
                typeof value === 'bigint' ? String(value) : value,
              ),
          },
    );
  }
}

function refusable(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!isSaid(error)) throw error;
  }
}

export const profileTargets: readonly Target[] = [
  {
    name: 'profile',
    seeds: () => recordingSeeds(12_000),
    mutate: mutateOneRecording,
    read: readProfile,
    fewCases: 40,
  },
  {
    name: 'records',
    seeds: () => recordingSeeds(12_000),
    mutate: mutateOneRecording,
    read: readRecords,
    fewCases: 40,
  },
];
