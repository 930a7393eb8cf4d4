// The ways that an input takes through perf-ts: what its commands do with a file, without their options.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPeriods } from '../../src/cli/render/periods-text.ts';
import { completenessLines } from '../../src/cli/report/completeness-lines.ts';
import { formatDump } from '../../src/cli/script/dump-text.ts';
import type { ScriptField } from '../../src/cli/script/fields.ts';
import { formatRecord } from '../../src/cli/script/record-text.ts';
import { formatSample } from '../../src/cli/script/sample-text.ts';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import { encodePageReport } from '../../src/formats/export/page-report.ts';
import { TABLE_NAMES } from '../../src/formats/tables/schema.ts';
import { tabSeparated } from '../../src/formats/tables/tab-separated.ts';
import { EXPORT_FORMATS } from '../../src/options/export.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { describePageReport } from '../../src/read/outputs/describe-page-report.ts';
import { exportPprof } from '../../src/read/outputs/export-pprof.ts';
import { findingsOf } from '../../src/read/outputs/findings-of.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { readInfo } from '../../src/read/recording-info.ts';
import { rewriteRecording } from '../../src/rewrite/rewrite-recording.ts';
import { dumpRecords } from '../../src/tools/script/dump-records.ts';
import { visitRecords } from '../../src/tools/script/record-stream.ts';
import { checkProfile } from '../helpers/check-profile.ts';
import { pick, type Random } from './mutate-bytes.ts';
import { checkShown, isReported } from './target.ts';

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

export function written(bytes: Uint8Array): string {
  const path = join(scratchFolder(), 'damaged');
  writeFileSync(path, bytes);
  return path;
}

/** A refusal is an answer; any other error is a failure. */
export function refusable<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (!isReported(error)) throw error;
    return null;
  }
}

/** Opens what is at `path`, which must keep every invariant of a profile. */
export async function openChecked(path: string, symbols: boolean): Promise<OpenedProfile> {
  const opened = await openProfile(path, {
    symbols,
    // Nothing of this machine's own files, which say more of it than of the recording.
    symfs: scratchFolder(),
    kallsyms: '/nonexistent',
  });
  checkProfile(opened.profile);
  return opened;
}

export const WEIGHTS = ['samples', 'period', 'events', 'time'] as const;

/** Output of `export` and `view` for a profile, by the format's name. */
export const EXPORTS: Readonly<Record<string, (opened: OpenedProfile) => unknown>> = {
  ...Object.fromEntries(
    EXPORT_FORMATS.filter((format) => format !== 'html').map((format) => [
      format,
      (opened: OpenedProfile) =>
        opened.profile.events.length > 0 && refusable(() => opened.export(format)),
    ]),
  ),
  html: (opened) => {
    const data = encodePageData(describePageProfile(opened));
    if (data.length === 0) throw new Error('no page data');
    encodePageReport(describePageReport(opened));
  },
  pprof: exportPprof,
};

/** Output of `report` and `periods`; `weight` of the report's figures. */
export function reportOn(opened: OpenedProfile, weight: (typeof WEIGHTS)[number]): void {
  for (const kind of WEIGHTS) refusable(() => opened.weights(kind));
  if (opened.profile.events.length > 0) refusable(() => opened.report({ weight }));
  completenessLines(opened).forEach(checkShown);
  for (const { sentence } of findingsOf(opened)) checkShown(sentence);
  const report = opened.periods({ streams: 'all' });
  formatPeriods(report).forEach(checkShown);
  opened.marks(report);
  opened.ledgers();
}

/** The rows that `query` asks. */
export function tablesOf(opened: OpenedProfile): void {
  const tables = recordingTables(opened, { name: 'damaged' });
  for (const name of TABLE_NAMES) {
    const { length, columns } = tables[name];
    for (let row = 0; row < length; row++) tabSeparated(1, columns, row);
  }
}

const STYLE = {
  fields: [new Set<ScriptField>(['comm', 'tid', 'time', 'ip', 'sym', 'dso', 'event', 'period'])],
  nanoseconds: true,
  nameWidth: 8,
};

/** Work of the commands on the records of the file at `path`. */
export const RECORD_DOORS: readonly ((path: string, random: Random) => void)[] = [
  (path) => void readInfo(path),
  (path) => void dumpRecords(path, (record) => checkShown(formatDump(record))),
  (path, random) => {
    const output = join(scratchFolder(), 'rewritten');
    rewriteRecording(path, output, {
      stripKernel: random() < 0.5,
      anonymize: random() < 0.5,
      dropStacks: random() < 0.3,
      buildIds: pick(random, ['keep', 'remove', 'add'] as const),
    });
    readInfo(output);
  },
  (path) => {
    visitRecords(path, readAlone(), {
      record: (described) => checkShown(formatRecord(described, STYLE)),
      sampleText: (sample) => {
        const fields = Array(sample.event + 1).fill(STYLE.fields[0]);
        checkShown(formatSample(sample, { ...STYLE, fields }));
      },
    });
  },
  (path) => {
    visitRecords(path, readAlone(), {
      record: (described) =>
        void JSON.stringify(described, (_key, value) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
    });
  },
];

const readAlone = () => ({ symbols: { symfs: scratchFolder(), kallsyms: '/nonexistent' } });

/** All of them, one after the other. */
export async function throughEveryDoor(bytes: Uint8Array, random: Random): Promise<void> {
  const path = written(bytes);
  const opened = await openChecked(path, random() < 0.3).catch((error: unknown) => {
    if (!isReported(error)) throw error;
    return null;
  });
  if (opened !== null) {
    reportOn(opened, pick(random, WEIGHTS));
    for (const write of Object.values(EXPORTS)) await write(opened);
    tablesOf(opened);
  }
  for (const use of RECORD_DOORS) refusable(() => use(path, random));
}
