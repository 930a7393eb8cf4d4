import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { readFlags } from '../../options/read-flags.ts';
import { RECORD_SELECTION, SELECTION } from '../../options/reading.ts';
import {
  isRestricting,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/filter.ts';
import { functionsNamed } from '../../profile/analysis/find-functions.ts';
import { parseTimeRanges, type RecordedTime } from '../../profile/time-range.ts';
import type { WeightKind } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import type { RecordSelection } from '../../read/selection.ts';
import { notify } from './failure.ts';

/** The options that choose among the samples of a recording, as perf names them. */
export type SelectionFlags = {
  readonly time?: string;
  readonly cpu?: string;
  readonly pid?: string;
  readonly tid?: string;
  readonly comm?: string;
  readonly dso?: string;
  readonly symbol?: string;
  /** perf's other names of `--comm`, `--dso` and `--symbol`. */
  readonly comms?: string;
  readonly dsos?: string;
  readonly symbols?: string;
};

const CHOOSING = { ...RECORD_SELECTION, ...SELECTION };

/** The samples that the options ask for. Throws `UsageError` naming the option. */
export function parseSelection(
  flags: SelectionFlags,
  recorded: () => RecordedTime,
): SampleSelection {
  const asked = readFlags(CHOOSING, flags);
  const { time, cpu, pid, tid } = asked;
  const { comm = asked.comms, dso = asked.dsos, symbol = asked.symbols } = asked;
  return {
    ...(time !== undefined && { times: parseTimeRanges(time, recorded()) }),
    ...(cpu !== undefined && { cpus: new Set(cpu) }),
    ...(pid !== undefined && { pids: new Set(pid) }),
    ...(tid !== undefined && { tids: new Set(tid) }),
    ...(comm !== undefined && { comms: new Set(comm) }),
    ...(dso !== undefined && { dsos: new Set(dso) }),
    ...(symbol !== undefined && { symbols: new Set(symbol) }),
  };
}

/**
 * For commands that choose records without naming frames. The time is left to who opens the
 * recording.
 */
export function recordSelection({
  time,
  ...flags
}: Omit<SelectionFlags, 'dso' | 'symbol'>): RecordSelection {
  const noTime = { startTime: 0n, firstNs: Number.NaN, lastNs: Number.NaN };
  const { cpus, pids, tids, comms } = parseSelection(flags, () => noTime);
  return {
    ...(time !== undefined && { time }),
    ...(cpus && { cpus }),
    ...(pids && { pids }),
    ...(tids && { tids }),
    ...(comms && { comms }),
  };
}

/**
 * The part of a profile that the options ask for; reports on standard error what is left out. Throws `UsageError`
 * for a name that fits no function.
 */
export function selectFrom(
  opened: OpenedProfile,
  flags: SelectionFlags & { readonly weight?: WeightKind; readonly quiet?: boolean },
): SampleSelection {
  const select = parseSelection(flags, () => opened.recordedTime());
  for (const text of select.symbols ?? []) functionsNamed(opened.profile, text);
  if (!isRestricting(select) || flags.quiet === true) return select;
  const { samples, events } = opened.profile;
  const rows = finish(selectSamples(opened.profile, select));
  // As the report weighs, which shows what was lost as a row of its own.
  const { values, lostBefore } = opened.weights(flags.weight);
  const inside = opened.weights(flags.weight, undefined, select).values;
  const shares = events.flatMap(({ name }, event) => {
    const ofEvent = finish(selectSamples(opened.profile, { event }));
    const lost = lostBefore === undefined ? 0 : sumOf(lostBefore, ofEvent);
    const all = sumOf(values, ofEvent) + lost;
    const selected = sumOf(inside, finish(selectSamples(opened.profile, { ...select, event })));
    return all === 0 ? [] : [`${formatShare(selected / all)} of ${printable(name)}`];
  });
  notify(
    `perf-ts: ${printable(selectionText(flags))}: ${formatCount(rows.length)} of ` +
      `${formatCount(samples.length)} samples, ${shares.join(', ')}${foldedText(opened, select)}`,
  );
  if (rows.length === 0) reportWhen(opened, flags);
  return select;
}

/** Who takes `--time` for seconds since the start selects nothing: the clock's are others. */
function reportWhen(opened: OpenedProfile, { time }: SelectionFlags): void {
  const { startTime, firstNs, lastNs } = opened.recordedTime();
  if (time === undefined || Number.isNaN(firstNs)) return;
  const at = (ns: number) => ((Number(startTime) + ns) / 1e9).toFixed(3);
  notify(
    `perf-ts: samples were taken from ${at(firstNs)} to ${at(lastNs)} s of the recording's clock; --time counts from ` +
      'its 0, and percentages (--time 10%-20%) from the first sample',
  );
}

/** Names of functions are those of the frames that are shown: others select nothing. */
function foldedText({ facts }: OpenedProfile, { symbols }: SampleSelection): string {
  if (symbols === undefined || facts.frames === 'all') return '';
  return ` (names of --frames ${facts.frames}; --frames all has those that are folded)`;
}

function sumOf(weights: Float64Array, rows: Int32Array): number {
  let sum = 0;
  for (const row of rows) sum += weights[row];
  return sum;
}

/** What was asked for, in one line: `--comm node --cpu 0-3`. */
export function selectionText(flags: SelectionFlags): string {
  const { time, cpu, pid, tid } = flags;
  const { comm = flags.comms, dso = flags.dsos, symbol = flags.symbols } = flags;
  return Object.entries({ time, cpu, pid, tid, comm, dso, symbol })
    .filter(([, value]) => value !== undefined)
    .map(([option, value]) => `--${option} ${value}`)
    .join(' ');
}
