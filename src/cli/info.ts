import { printable } from '../base/printable.ts';
import { type RecordingInfo, readInfo } from '../session/recording-info.ts';
import { warnIfCut } from './cut-warning.ts';
import { formatBytes, formatCount } from './render/numbers.ts';
import { formatTable } from './render/table.ts';
import { printJson, writeOut } from './stdout.ts';

/** `perf-ts info`: header, events, record counts. */
export async function runInfo(
  path: string,
  options: { json?: boolean; strict?: boolean },
): Promise<void> {
  const info = readInfo(path);
  warnIfCut(info, options.strict === true);
  if (options.json) printJson(info);
  else writeOut(`${infoLines(path, info).map(printable).join('\n')}\n`);
}

function infoLines(path: string, info: RecordingInfo): string[] {
  const field = (name: string, value: string | number | null): string[] =>
    value === null || value === '' ? [] : [`${name.padEnd(14)} ${value}`];
  return [
    ...field('file', `${path} (${info.endian}-endian${info.pipe ? ', pipe' : ''})`),
    ...field('host', info.hostname),
    ...field('kernel', info.kernel),
    ...field('architecture', info.arch),
    ...field('cpus', info.cpus),
    ...field('command', info.cmdline.join(' ')),
    ...field(
      'first sample',
      info.firstSampleTimeNs === null ? null : `${info.firstSampleTimeNs} ns`,
    ),
    ...field('last sample', info.lastSampleTimeNs === null ? null : `${info.lastSampleTimeNs} ns`),
    ...field('features', info.features.join(' ')),
    ...info.notes.map((note) => `note           ${note}`),
    '',
    ...formatTable(
      ['event', 'mode', 'rate', 'samples', 'counted', 'fields'],
      info.events.map((event) => [
        event.name,
        event.sideband ? 'side-band' : event.mode,
        event.sideband
          ? ''
          : event.freqHz !== null
            ? `${formatCount(event.freqHz)} Hz`
            : `1 in ${formatCount(event.period ?? 1)}`,
        formatCount(event.samples),
        event.counted === null ? '' : formatCount(event.counted),
        event.sampleType.join('|'),
      ]),
      { right: [2, 3, 4] },
    ),
    '',
    ...formatTable(
      ['record', 'count'],
      Object.entries(info.records).map(([name, count]) => [name, formatCount(count)]),
      { right: [1] },
    ),
    '',
    `lost: ${formatCount(info.loss.best)} (announced in the rings ${formatCount(info.loss.lostRecords)}, ` +
      `by the counters ${formatCount(info.loss.lostSamples)}); throttled ${formatCount(info.throttle)} times` +
      (info.skippedBytes > 0
        ? `; ${formatBytes(info.skippedBytes)} made no sense and were skipped`
        : ''),
  ];
}
