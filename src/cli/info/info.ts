import { basename } from 'node:path';
import { formatBytes, formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { type INFO, READ_INFO, type ReadInfoOptions } from '../../options/info.ts';
import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { STRICT } from '../../options/reading.ts';
import { type RecordingInfo, readInfo } from '../../read/recording-info.ts';
import { formatTable } from '../render/table.ts';
import { stepProgress } from '../shared/progress.ts';
import { reportFindings } from '../shared/report-findings.ts';
import { selectionText } from '../shared/selection-flags.ts';
import { printJson, writeText } from '../shared/stdout.ts';

/** Columns of the names in front. */
const COLUMN = 18;

/** `perf-ts info`: header, events, record counts. */
export async function runInfo(path: string, options: AskedOf<typeof INFO>): Promise<void> {
  const info = readInfo(path, { ...forLibrary(READ_INFO, options), ...progressOf(path) });
  reportFindings(info.findings, options);
  if (options.json) printJson({ schema: 'perf-ts/info@1', ...info });
  else
    writeText(
      `${infoLines(path, info, options.verbose === true, selectionText(options))
        .map(printable)
        .join('\n')}\n`,
    );
}

/** Counting takes all records. */
export function progressOf(path: string, quiet = false): ReadInfoOptions {
  const onShare = stepProgress(`reading ${printable(basename(path))}`, path, { quiet });
  return onShare === undefined ? {} : { onShare };
}

type HeaderFlags = AskedOf<typeof STRICT> & { readonly quiet?: boolean };

/** `--header-only` of `report` and `script`: what a recording says of itself, as comment lines. */
export function printHeader(path: string, flags: HeaderFlags): void {
  const info = readInfo(path, { ...forLibrary(STRICT, flags), ...progressOf(path, flags.quiet) });
  reportFindings(info.findings, flags);
  const events = info.events
    .filter(({ sideband }) => !sideband)
    .map((event) => `${'event'.padEnd(COLUMN)} ${event.name}, ${rateOf(event)}`);
  const lines = [...headLines(path, info, flags.verbose === true, ''), ...events];
  writeText(lines.map((line) => `# ${printable(line)}\n`).join(''));
}

/** `report --stats`: how many records of each kind there are. */
export function printStats(path: string, flags: HeaderFlags): void {
  const info = readInfo(path, { ...forLibrary(STRICT, flags), ...progressOf(path, flags.quiet) });
  reportFindings(info.findings, flags);
  writeText(`${[...recordLines(info), '', lossLine(info)].map(printable).join('\n')}\n`);
}

function rateOf({ sideband, freqHz, mode, period }: RecordingInfo['events'][number]): string {
  if (sideband) return '';
  if (freqHz !== null) return `${formatCount(freqHz)} Hz`;
  if (mode === 'count') return 'with leader';
  return period === null ? '' : `1 in ${formatCount(period)}`;
}

function recordLines(info: RecordingInfo): string[] {
  return formatTable(
    ['record', 'count'],
    Object.entries(info.records).map(([name, count]) => [name, formatCount(count)]),
    { right: [1] },
  );
}

function lossLine(info: RecordingInfo): string {
  return (
    `lost: ${formatCount(info.loss.best)} (announced in the rings ${formatCount(info.loss.lostRecords)}, ` +
    `by the counters ${formatCount(info.loss.lostSamples)})${lostSideband(info)}; throttled ${formatCount(info.throttle)} times` +
    (info.skippedBytes > 0
      ? `; ${formatBytes(info.skippedBytes)} made no sense and were skipped`
      : '')
  );
}

function selectedText({ selected }: RecordingInfo, selection: string): string | null {
  if (selected === undefined) return null;
  return `${selection}: ${formatCount(selected.samples)} of ${formatCount(selected.of)} samples`;
}

function infoLines(
  path: string,
  info: RecordingInfo,
  isVerbose: boolean,
  selection: string,
): string[] {
  return [
    ...headLines(path, info, isVerbose, selection),
    '',
    ...formatTable(
      ['event', 'mode', 'rate', 'samples', 'Σ period', 'threads', 'counted', 'fields'],
      info.events.map((event) => [
        event.name,
        event.sideband ? 'side-band' : event.mode,
        rateOf(event),
        event.samples === null ? '' : formatCount(event.samples),
        event.sampled.period === null ? '' : formatCount(event.sampled.period.sum),
        event.sampled.threads === 0 ? '' : formatCount(event.sampled.threads),
        event.counted === null ? '' : formatCount(event.counted),
        event.sampleType.join('|'),
      ]),
      { right: [2, 3, 4, 5, 6] },
    ),
    ...(isVerbose ? eventLines(info) : []),
    '',
    ...recordLines(info),
    '',
    lossLine(info),
  ];
}

function headLines(
  path: string,
  info: RecordingInfo,
  isVerbose: boolean,
  selection: string,
): string[] {
  const field = (name: string, value: string | number | null): string[] =>
    value === null || value === '' ? [] : [`${name.padEnd(COLUMN)} ${value}`];
  return [
    ...field('file', `${path} (${info.endian}-endian${info.pipe ? ', pipe' : ''})`),
    ...field('host', info.hostname),
    ...field('kernel', info.kernel),
    ...field('architecture', info.arch),
    ...field('cpus', info.cpus),
    ...field('command', info.cmdline.join(' ')),
    ...field('selected', selectedText(info, selection)),
    ...field(
      'first sample',
      info.firstSampleTimeNs === null ? null : `${info.firstSampleTimeNs} ns`,
    ),
    ...field('last sample', info.lastSampleTimeNs === null ? null : `${info.lastSampleTimeNs} ns`),
    ...field('features', info.features.join(' ')),
    ...info.notes.map((note) => `${'note'.padEnd(COLUMN)} ${note}`),
    ...headerLines(info.header, isVerbose),
  ];
}

function lostSideband({ loss }: RecordingInfo): string {
  return loss.lostSideband === 0
    ? ''
    : `; side-band records (forks, execs, mappings): ${formatCount(loss.lostSideband)}`;
}

/** Bits of each event's attr, for those who want to know what was opened. */
function eventLines(info: RecordingInfo): string[] {
  return [
    '',
    ...info.events.map(
      ({ name, instances, precise, flags, readFormat }) =>
        `${name}: ${formatCount(instances)} instances, precise ${precise}, ` +
        `${flags.join(' ')}${readFormat.length > 0 ? `, read ${readFormat.join('|')}` : ''}`,
    ),
  ];
}

/** Lists longer than this are counted, unless asked for with -v. */
const LONGEST_LIST = 4;

/** A line per feature: text and numbers as they are, the rest as JSON. */
function headerLines(header: RecordingInfo['header'], isVerbose: boolean): string[] {
  const present = Object.entries(header).filter(
    ([, value]) => !Array.isArray(value) || value.length > 0,
  );
  return present.map(([key, value]) => {
    const name = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return `${name.padEnd(COLUMN)} ${headerValue(value, isVerbose)}`;
  });
}

function headerValue(value: unknown, isVerbose: boolean): string {
  if (!Array.isArray(value)) return typeof value === 'object' ? fieldsText(value) : String(value);
  if (!isVerbose && value.length > LONGEST_LIST) return `${value.length} (-v lists them)`;
  return value.map((item) => fieldsText(item)).join('; ');
}

/** `node 0, totalKb 8155788`; lists inside stay JSON. */
function fieldsText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${typeof inner === 'object' ? JSON.stringify(inner) : inner}`)
    .join(', ');
}
