import { formatCpuList } from '../../base/cpu-list.ts';
import { EXIT } from '../../base/exit-status.ts';
import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { SELECTION } from '../../options/reading.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import { computeGroupedReport } from '../../profile/analysis/grouped-report.ts';
import {
  isRestricting,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import { functionsNamed } from '../../profile/analysis/select/find-functions.ts';
import { parseTimeRanges, type RecordedTime } from '../../profile/time-range.ts';
import type { WeightKind } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { notify } from './failure.ts';

/** The options that choose among the samples of a recording. */
export type AskedSelection = AskedOf<typeof SELECTION>;

/** The samples that are asked for; throws `UsageError` for a time that is none. */
export function askedSelection(
  asked: AskedSelection,
  recorded: () => RecordedTime,
): SampleSelection {
  const { time, ...select } = forLibrary(SELECTION, asked);
  return { ...select, ...(time !== undefined && { times: parseTimeRanges(time, recorded()) }) };
}

/**
 * The part of a profile that the options ask for; reports on standard error what is left out. Where no sample is left the
 * command ends with `EXIT.NOT_OK`, unless that may be so, of one side of a comparison say. Throws `UsageError` for a name that fits no function.
 */
export function selectFrom(
  opened: OpenedProfile,
  asked: AskedSelection & { readonly weight?: WeightKind; readonly quiet?: boolean },
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): SampleSelection {
  const select = askedSelection(asked, () => opened.recordedTime());
  for (const text of select.symbols ?? []) functionsNamed(opened.profile, text);
  if (!isRestricting(select)) return select;
  const { samples, events } = opened.profile;
  const rows = finish(selectSamples(opened.profile, select));
  if (rows.length === 0 && !mayBeEmpty) process.exitCode = EXIT.NOT_OK;
  if (asked.quiet === true) return select;
  // As the report weighs, which shows what was lost as a row of its own.
  const { values, lostBefore } = opened.weights(asked.weight);
  const inside = opened.weights(asked.weight, undefined, select).values;
  const shares = events.flatMap(({ name }, event) => {
    const ofEvent = finish(selectSamples(opened.profile, { event }));
    const lost = lostBefore === undefined ? 0 : sumOf(lostBefore, ofEvent);
    const all = sumOf(values, ofEvent) + lost;
    const selected = sumOf(inside, finish(selectSamples(opened.profile, { ...select, event })));
    return all === 0 ? [] : [`${formatShare(selected / all)} of ${printable(name)}`];
  });
  notify(
    `perf-ts: ${printable(selectionText(asked))}: ${formatCount(rows.length)} of ` +
      `${formatCount(samples.length)} samples, ${shares.join(', ')}${foldedText(opened, select)}`,
  );
  if (rows.length === 0) {
    reportWhen(opened, asked);
    reportNames(opened, asked);
  }
  return select;
}

/** Whether no sample is in a part of a profile. */
export function selectsNothing(
  { profile }: Pick<OpenedProfile, 'profile'>,
  select: SampleSelection,
): boolean {
  return finish(selectSamples(profile, select)).length === 0;
}

const MOST_NAMES = 6;

/** Reports what the recording has of each kind that was asked for by its name or number, the heaviest first. */
function reportNames(
  opened: OpenedProfile,
  asked: AskedSelection & { readonly weight?: WeightKind },
): void {
  const { profile } = opened;
  const all = finish(selectSamples(profile, {}));
  for (const [option, key] of Object.entries(NAMED_KINDS) as [
    keyof typeof NAMED_KINDS,
    GroupKey,
  ][]) {
    if (asked[option] === undefined) continue;
    const { rows } = computeGroupedReport(profile, opened.weights(asked.weight), all, [key]);
    const names = rows.slice(0, MOST_NAMES).map(({ names: [name] }) => printable(name));
    const more = rows.length - names.length;
    const list = `${names.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
    notify(`perf-ts: each ${key} of the recording: ${list}`);
  }
}

const NAMED_KINDS = { comms: 'comm', dsos: 'dso', pids: 'pid', tids: 'tid' } as const;

/** Tells the clock's times: who takes `--time` for seconds since the start selects nothing. */
function reportWhen(opened: OpenedProfile, { time }: AskedSelection): void {
  const { startTime, firstNs, lastNs } = opened.recordedTime();
  if (time === undefined || Number.isNaN(firstNs)) return;
  const at = (ns: number) => ((Number(startTime) + ns) / 1e9).toFixed(3);
  notify(
    `perf-ts: samples were taken from ${at(firstNs)} to ${at(lastNs)} s of the recording's clock; --time counts from ` +
      `its 0 (--time ${at(firstNs)},${at(firstNs + 5e8)} is the first half second), and percentages (--time 10%-20%) ` +
      'from the first sample',
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

/** The selection that was asked for, in one line: `--comm node --cpu 0-3`. */
export function selectionText(asked: AskedSelection): string {
  return Object.entries(forLibrary(SELECTION, asked))
    .map(([key, value]: [string, string | number | ReadonlySet<unknown>]) => {
      const [{ flags }] = SELECTION[key as keyof typeof SELECTION].flags;
      const [option] = /--[\w-]+/.exec(flags) ?? [];
      const words =
        typeof value === 'object' ? [...value] : typeof value === 'number' ? `${value}ms` : value;
      return `${option} ${key === 'cpus' ? formatCpuList(words as number[]) : words}`;
    })
    .join(' ');
}
