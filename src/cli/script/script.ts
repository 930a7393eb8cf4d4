import { UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { describeDiagnostics } from '../../findings/diagnostic-text.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { type AskedOf, pick } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { SCRIPT_OPTIONS } from '../../options/script.ts';
import { findingsOfData } from '../../read/facts/data-findings.ts';
import { recordedTime } from '../../read/facts/recorded-time.ts';
import { dumpRecords } from '../../tools/script/dump-records.ts';
import { visitRecords } from '../../tools/script/record-stream.ts';
import type { DescribedRecord } from '../../tools/script/types.ts';
import { notify } from '../shared/failure.ts';
import { symbolSources } from '../shared/load.ts';
import { readingProgress } from '../shared/progress.ts';
import { reportDiagnostics, reportFindings } from '../shared/report-findings.ts';
import { askedSelection, selectionText } from '../shared/selection-flags.ts';
import { writeOut } from '../shared/stdout.ts';
import { formatDump } from './dump-text.ts';
import { chooseFields } from './fields.ts';
import { formatRecord, recordFields } from './record-text.ts';
import { formatSample, type SampleTextStyle } from './sample-text.ts';

export type ScriptFlags = AskedOf<typeof SCRIPT_OPTIONS>;

/** Record types by the option that shows them. */
const SHOWN_BY = {
  showTaskEvents: ['COMM', 'FORK', 'EXIT'],
  showMmapEvents: ['MMAP', 'MMAP2'],
  showSwitchEvents: ['SWITCH', 'SWITCH_CPU_WIDE'],
  showNamespaceEvents: ['NAMESPACES'],
  showLostEvents: ['LOST', 'LOST_SAMPLES'],
  showBpfEvents: ['KSYMBOL', 'BPF_EVENT'],
  showCgroupEvents: ['CGROUP'],
  showTextPokeEvents: ['TEXT_POKE', 'KSYMBOL'],
} as const satisfies Partial<Record<keyof ScriptFlags, readonly string[]>>;

/** Text waits here until it is worth a system call. */
const FLUSH_AT = 1 << 18;

/** `perf-ts script`: every record, one line (or one JSON object) each; stacks below their sample. */
export async function runScript(path: string, flags: ScriptFlags): Promise<void> {
  if (flags.dumpRawTrace === true) {
    dump(path, flags);
    return;
  }
  const { append, flush } = bufferedOutput();
  const onProgress = readingProgress(path, flags.quiet);
  let style: SampleTextStyle = { fields: [], nanoseconds: false, nameWidth: 0 };
  const { event } = flags;
  const shown = shownTypes(flags);
  const needsLines = flags.fields?.some((list) => list.includes('srcline')) === true;
  // What reads perf's text takes every line for a sample but those with #.
  const mark = shown === null ? '# ' : '';
  const { data, samples, samplesLeftOut } = visitRecords(
    path,
    {
      samplesOnly: shown !== null && shown.size === 0,
      ...(shown !== null && { otherTypes: shown }),
      ...(event !== undefined && { event }),
      ...forLibrary(pick(SCRIPT_OPTIONS, 'simplifyChains', 'maxUnpacked'), flags),
      symbols: { ...symbolSources(flags), ...(needsLines && { lines: true }) },
      select: (opened: PerfData) => askedSelection(flags, () => recordedTime(opened)),
      ...(onProgress && { onShare: (share) => onProgress('records', share) }),
    },
    flags.json
      ? { record: (record) => append(jsonLine(record)) }
      : {
          start(opened, names) {
            style = styleOf(opened, names, flags);
          },
          sampleText: (sample) => append(formatSample(sample, style)),
          record: (record) => append(`${mark}${formatRecord(record, style)}`),
        },
  );
  flush();
  reportWhatIsBroken(data, flags);
  const selection = selectionText(flags);
  if (selection === '') return;
  const selected = samples - samplesLeftOut;
  if (selected === 0) process.exitCode = EXIT.NOT_OK;
  if (flags.quiet === true) return;
  notify(
    `perf-ts: ${printable(selection)}: ${formatCount(selected)} of ${formatCount(samples)} samples`,
  );
}

/** Text is collected until it is worth a system call. */
function bufferedOutput() {
  let pending = '';
  const flush = (): void => {
    writeOut(pending);
    pending = '';
  };
  const append = (text: string): void => {
    pending += text;
    if (pending.length > FLUSH_AT) flush();
  };
  return { append, flush };
}

/** `-D`: the bytes of every record, in the order of the file. */
function dump(path: string, flags: ScriptFlags): void {
  const others = [selectionText(flags), flags.json && '--json', flags.event && '--event'];
  const refused = others.find(Boolean);
  if (refused) {
    throw new UsageError(`-D dumps every record of the file: it does not go with ${refused}`, [
      'leave -D away',
    ]);
  }
  const { append, flush } = bufferedOutput();
  const onProgress = readingProgress(path, flags.quiet);
  const data = dumpRecords(path, (record) => append(formatDump(record)), {
    maxUnpacked: flags.maxUnpacked,
    onShare: (share) => onProgress?.('records', share),
  });
  flush();
  reportWhatIsBroken(data, flags);
}

function reportWhatIsBroken(data: PerfData, flags: ScriptFlags): void {
  reportFindings(findingsOfData(data), flags);
  if (flags.verbose && !flags.quiet) reportDiagnostics(describeDiagnostics(data.diagnostics));
}

/** Which records are shown beside samples; null: all. */
function shownTypes(flags: ScriptFlags): Set<string> | null {
  const switches = Object.entries(SHOWN_BY).filter(
    ([flag]) => flags[flag as keyof typeof SHOWN_BY] === true,
  );
  if (switches.length > 0) return new Set(switches.flatMap(([, types]) => [...types]));
  return flags.samples || flags.fields !== undefined ? new Set() : null;
}

function styleOf(data: PerfData, names: readonly string[], flags: ScriptFlags): SampleTextStyle {
  const events = data.attrs.map(({ attr }, index) => ({ attr, name: names[index] }));
  return {
    fields: chooseFields(flags.fields ?? [], events),
    nanoseconds: flags.ns === true,
    nameWidth: names.reduce((most, name) => Math.max(most, name.length), 0),
  };
}

/** Keys of docs/contract.md, then the record's own fields; absent is left out by JSON itself. */
function jsonLine(described: DescribedRecord): string {
  const { record, more, ...head } = described;
  const own = record === undefined ? more : recordFields(record);
  return `${JSON.stringify({ ...head, ...own }, exactly)}\n`;
}

/** Numbers beyond ±2^53 become decimal strings. */
function exactly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
