import { UsageError } from '../../base/errors.ts';
import { lostSamplesOf } from '../../base/lost-samples.ts';
import {
  formatCount,
  formatKnownShare,
  formatShare,
  formatShareInterval,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { levelOfTable } from '../../code/javascript/levels-of.ts';
import { weightTitle } from '../../formats/export/weight-title.ts';
import { computeFlatReport, type FlatReport } from '../../profile/analysis/flat-report.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import { computeGroupedReport } from '../../profile/analysis/grouped-report.ts';
import { isRestricting, type SampleSelection } from '../../profile/analysis/select/filter.ts';
import { computeCallNodesByInlining } from '../../profile/analysis/trees/call-nodes.ts';
import { computeCallTree } from '../../profile/analysis/trees/call-tree.ts';
import { invertCallTree } from '../../profile/analysis/trees/invert-call-tree.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { recordedLength } from '../../profile/sampled-time.ts';
import { shortName } from '../../profile/short-name.ts';
import type { EventIndex, Weights } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { askAboutEvent } from '../../read/outputs/asked-event.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { formatCallTree } from '../render/call-tree-text.ts';
import { formatTable } from '../render/table.ts';
import { wantsColour } from '../shared/colour.ts';
import { figuresJson } from '../shared/figures-json.ts';
import { loadForCommand } from '../shared/load.ts';
import { selectFrom } from '../shared/selection-flags.ts';
import { printJson, writeText } from '../shared/stdout.ts';
import { completenessJson, completenessLines } from './completeness-lines.ts';
import { failOnFindings, parseFailOn } from './fail-on.ts';
import { fieldLines, parseFields, separatorOf } from './field-table.ts';
import { framesLines, idleLines } from './frames-lines.ts';
import { funcPlace } from './func-place.ts';
import {
  type GroupedOptions,
  groupedJson,
  groupedLines,
  groupedReport,
  groupLines,
  type SelectRows,
} from './grouped-report.ts';
import { findInseparablePairs, inseparableLines } from './inseparable-pairs.ts';
import { ratioSection, ratiosJson } from './ratio-section.ts';
import { findingLines, hideIdle, nextLine, recordingLines, vouchLine } from './recording-lines.ts';
import {
  inOrder,
  limitsOf,
  type ReportFlags,
  rowsOfTable,
  selectRows,
  TABLES,
  type View,
} from './report-rows.ts';
import { isAboutFiles, needsLines, type PlainKey, parseSort, unsorted } from './sort-keys.ts';

/** `perf-ts report`: where the events went. */
export async function runReport(path: string, flags: ReportFlags): Promise<void> {
  const limits = limitsOf(flags);
  const failOn = flags.failOn === undefined ? null : parseFailOn(flags.failOn);
  const order = parseSort(flags.sort);
  const separator = separatorOf(flags.fieldSeparator);
  const hasFields = flags.fields !== undefined || separator !== null;
  const fields = hasFields ? parseFields(flags.fields, flags.sort) : null;
  if (hasFields && (flags.tree || flags.json)) {
    const other = flags.tree ? '--tree' : '--json';
    throw new UsageError(`-F and -t are about the table: they do not go with ${other}`);
  }
  if (flags.tree && flags.sort !== 'sym') throw unsorted(flags.sort, '--tree');
  const opened = await loadForCommand(path, flags, {
    ...(isAboutFiles(order) && { frames: flags.frames ?? 'all' }),
    ...(needsLines(order) && { lines: true }),
  });
  const select = selectFrom(opened, flags);
  const byTotal = flags.children ?? null;
  const view: View = { order, select, limits, byTotal, fields, separator };
  const { profile } = opened;
  if (failOn !== null) failOnFindings(findingsOf(opened), failOn);
  const events =
    flags.event === undefined
      ? profile.events.map((_, index) => index as EventIndex)
      : [opened.eventIndex(flags.event)];
  if (flags.json) {
    printJson(reportDocument(opened, events, flags, view));
    return;
  }
  // Before anything is printed: text on the terminal ends the line that shows how far this is.
  const sections = [
    ...sectionsOf(opened, events, flags, view),
    ...ratioSection(opened, groupedOptions(flags, view), flags, view),
  ];
  if (flags.header) {
    const { printHeader } = await import('../info/info.ts');
    printHeader(path, { quiet: true });
  }
  const isQuiet = flags.quiet === true;
  const print = (lines: readonly string[]): void =>
    writeText(lines.map((line) => `${line}\n`).join(''));
  if (!isQuiet) {
    print(recordingLines(opened, flags.verbose === true));
    // Whose code ran does not depend on the frames that are shown.
    const keys = order.kind === 'grouped' ? order.keys : [];
    if (levelOfTable(keys, opened.facts.frames) === opened.facts.frames) print(framesLines(opened));
    if (flags.verbose) print(completenessLines(opened));
    print(findingLines(findingsOf(opened), null));
  }
  for (const lines of sections) {
    writeText(`${(isQuiet ? lines.filter(isOfTable) : lines).join('\n')}\n\n`);
  }
  if (!isQuiet && fields === null) print(nextLine(opened, flags.tree === true));
}

/** The lines of each event, or of each group of events that has one table. */
function sectionsOf(
  opened: OpenedProfile,
  events: readonly EventIndex[],
  flags: ReportFlags,
  view: View,
): string[][] {
  const isGrouped = flags.event === undefined && flags.group !== false && !flags.tree;
  const groups = isGrouped && view.fields === null ? opened.facts.groups : [];
  return events.flatMap((event) => {
    const group = groups.find((members) => members.includes(event));
    if (group === undefined) return [reportLines(opened, event, flags, view)];
    return group[0] === event ? [sectionOfGroup(opened, group, flags, view)] : [];
  });
}

/** Tells lines of the table, which stands alone with `-q`. */
function isOfTable(line: string): boolean {
  return line !== '' && !line.startsWith('#');
}

/** The heads of all events of a group, then one table. */
function sectionOfGroup(
  opened: OpenedProfile,
  group: readonly EventIndex[],
  flags: ReportFlags,
  view: View,
): string[] {
  const heads = group.flatMap((event) => {
    const weights = opened.weights(flags.weight, event, view.select);
    const samples = opened.samplesOf(event, view.select);
    const report = computeGroupedReport(opened.profile, weights, samples, ['event']);
    return headLines(opened, event, report, weights, view.select);
  });
  const options = groupedOptions(flags, view);
  const rows: SelectRows = (all) => selectRows(all, view.limits);
  return [...heads, '', ...groupLines(opened, group, options, rows)];
}

function groupedOptions(flags: ReportFlags, { order, select, byTotal }: View): GroupedOptions {
  const keys = order.kind === 'grouped' ? order.keys : KEYS_OF_TABLE[order.key];
  return {
    keys,
    select,
    byTotal: byTotal === false ? null : byTotal === true,
    ...(flags.weight !== undefined && { weight: flags.weight }),
  };
}

/** The keys that the plain tables are made of. */
const KEYS_OF_TABLE: Record<PlainKey, readonly GroupKey[]> = {
  sym: ['dso', 'sym'],
  dso: ['dso'],
  thread: ['comm', 'pid', 'tid'],
  comm: ['comm'],
};

function reportLines(
  opened: OpenedProfile,
  event: EventIndex,
  flags: ReportFlags,
  view: View,
): string[] {
  const { profile } = opened;
  const { order, select, limits, fields, separator } = view;
  const weights = opened.weights(flags.weight, event, select);
  if (fields !== null) {
    const options = { ...groupedOptions(flags, view), keys: fields.keys };
    const grouped = groupedReport(opened, event, options);
    const lines = headLines(opened, event, grouped, weights, select);
    const rows: SelectRows = (all) => selectRows(all, limits);
    return [...lines, '', ...fieldLines(grouped, fields, separator, rows)];
  }
  if (order.kind === 'grouped' && !flags.tree) {
    const options = groupedOptions(flags, view);
    const grouped = groupedReport(opened, event, options);
    const lines = headLines(opened, event, grouped, weights, select);
    if (grouped.samples === 0) return lines;
    return [...lines, '', ...groupedLines(grouped, options, (rows) => selectRows(rows, limits))];
  }
  const sort = order.kind === 'plain' ? order.key : 'sym';
  const samples = opened.samplesOf(event, select);
  const estimator = flags.tree ? null : opened.shareEstimator(weights, event, select);
  const totals = view.byTotal === true;
  const report = computeFlatReport(
    profile,
    weights,
    samples,
    estimator === null ? undefined : { estimator, tables: TABLES[sort], totals },
  );
  const lines = headLines(opened, event, report, weights, select);
  if (report.samples === 0) return lines;
  if (flags.tree) return [...lines, '', ...treeLines(opened, weights, samples, flags, limits)];
  const isIdleShown = flags.idle === true || isRestricting(select) || sort !== 'sym';
  const asked = { profile, weights, rows: samples, estimator };
  const awake = hideIdle(rowsOfTable(asked, report, sort), (row) => row, isIdleShown);
  const { rows, rest } = selectRows(inOrder(awake.rows, view), limits);
  const titles = { sym: 'symbol', dso: 'DSO', thread: 'thread', comm: 'comm' };
  const withDso = sort === 'sym';
  const withTotal = view.byTotal !== false;
  const hasIntervals = estimator !== null && !estimator.isExact;
  const intervalOf = (row: (typeof rows)[number]) =>
    totals ? row.totalInterval : row.selfInterval;
  const knownBy = (row: (typeof rows)[number]) => (hasIntervals ? intervalOf(row) : undefined);
  // An interval stands behind the share that it is of: the one that the rows are ordered by.
  const columns: [title: string, cell: (row: (typeof rows)[number]) => string][] = [
    ['self', (row) => formatKnownShare(row.selfShare, knownBy(row))],
    ['total', (row) => formatKnownShare(row.totalShare, knownBy(row))],
  ];
  if (totals) columns.reverse();
  if (!withTotal) columns.pop();
  if (hasIntervals)
    columns.splice(1, 0, ['95% interval', (row) => formatShareInterval(intervalOf(row))]);
  // Names stand last: those of C++ are long, and the last column is not padded.
  const numbers = [...columns.map(([title]) => title), 'samples'];
  const cells = rows.map((row) => [
    ...columns.map(([, cell]) => cell(row)),
    formatCount(row.selfSamples),
    ...(withDso ? [printable(row.dso)] : []),
    printable(shortName(row.name)),
  ]);
  const header = [...numbers, ...(withDso ? ['DSO'] : []), titles[sort]];
  const right = numbers.map((_, column) => column);
  const table = formatTable(header, cells, { right, colour: wantsColour() });
  const pairs = withDso ? findInseparablePairs(opened, event, report, estimator, select) : [];
  const vouch = hasIntervals ? vouchLine(findingsOf(opened), event) : [];
  return [...lines, ...awake.line, ...vouch, '', ...table, ...rest, ...inseparableLines(pairs)];
}

/** `--tree`, `-g`: callers above callees, or with `-g callee` below them. */
function treeLines(
  { profile }: OpenedProfile,
  weights: Weights,
  samples: Int32Array,
  { treeOrder }: ReportFlags,
  limits: View['limits'],
): string[] {
  const tree = computeCallTree(
    profile,
    finish(computeCallNodesByInlining(profile)),
    weights,
    samples,
  );
  const least = limits.leastShare * tree.weight;
  const shown = treeOrder === 'callee' ? finish(invertCallTree(tree, least)) : tree;
  const { length } = profile.funcs;
  const label = (group: number): string =>
    group < length
      ? printable(shortName(funcLabel(profile, group)))
      : `${printable(shortName(funcLabel(profile, group - length)))} (inlined)`;
  return formatCallTree(shown, label, limits.leastShare);
}

function headLines(
  opened: OpenedProfile,
  event: EventIndex,
  report: Pick<FlatReport, 'samples' | 'weight'>,
  weights: Weights,
  select: SampleSelection,
): string[] {
  const { profile } = opened;
  const lost = lostSamplesOf(profile.losses, event);
  // Which part of the losses would have been selected, nobody knows.
  const share = isRestricting(select)
    ? ' in the whole recording'
    : ` (${formatShare(lost / (lost + report.samples))})`;
  return [
    `# event ${printable(profile.events[event].name)}: ${formatCount(report.samples)} samples, ` +
      `${formatCount(report.weight)} ${weightTitle(weights)}, lost ${formatCount(lost)}${lost > 0 ? share : ''}`,
    ...idleLines(profile, weights, opened.samplesOf(event, select)),
    // Findings are about the whole recording, weighed by events.
    ...(weights.kind === 'events' && !isRestricting(select)
      ? findingLines(findingsOf(opened), event)
      : []),
  ];
}

/** The document of `--json`. */
export function reportDocument(
  opened: OpenedProfile,
  events: readonly EventIndex[],
  flags: ReportFlags,
  view: View,
) {
  return {
    schema: 'perf-ts/report@1' as const,
    frames: opened.facts.frames,
    time: recordedLength(opened.profile),
    lostSideband: opened.profile.meta.lostSideband ?? 0,
    completeness: completenessJson(opened),
    findings: findingsOf(opened),
    events: events.map((event) => toJson(opened, event, flags, view)),
    ratios: ratiosJson(opened, flags, view),
  };
}

function toJson(opened: OpenedProfile, event: EventIndex, flags: ReportFlags, view: View) {
  const { profile } = opened;
  const { order, select, limits } = view;
  const weights = opened.weights(flags.weight, event, select);
  if (order.kind === 'grouped') {
    const { keys } = order;
    const report = groupedReport(opened, event, groupedOptions(flags, view));
    return {
      event: profile.events[event].name,
      weight: { kind: weights.kind, unit: weights.unit },
      samples: report.samples,
      total: report.weight,
      lost: lostSamplesOf(profile.losses, event),
      rows: groupedJson(report, keys, (rows) => selectRows(rows, limits)),
    };
  }
  const sort = order.key;
  const asked = askAboutEvent(opened, event, flags.weight, select);
  const { estimator } = asked;
  const report = computeFlatReport(
    profile,
    weights,
    asked.rows,
    estimator === null ? undefined : { estimator, tables: TABLES[sort], totals: true },
  );
  return {
    event: profile.events[event].name,
    weight: { kind: weights.kind, unit: weights.unit },
    samples: report.samples,
    effectiveSamples: estimator?.effectiveSamples ?? null,
    total: report.weight,
    lost: lostSamplesOf(profile.losses, event),
    rows: selectRows(inOrder(rowsOfTable(asked, report, sort), view), limits).rows.map((row) => ({
      name: row.func === undefined ? row.name : funcLabel(profile, row.func),
      ...(row.func !== undefined && { dso: row.dso, ...funcPlace(profile, row.func) }),
      ...figuresJson(row),
    })),
    ...(sort === 'sym' && {
      inseparable: findInseparablePairs(opened, event, report, estimator, select),
    }),
    inStep: opened.inStep(event),
    ruleDoubt: opened.ruleDoubt(event),
    weightDoubt: opened.weightDoubt(event),
  };
}
