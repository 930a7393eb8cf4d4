import { UsageError } from '../../base/errors.ts';
import { lostSamplesOf } from '../../base/lost-samples.ts';
import { memoize } from '../../base/memoize.ts';
import { formatCount, formatNanos } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { levelOfTable } from '../../code/levels/levels-of.ts';
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
import { ALLOCATED_EVENT } from '../../profile/wait-event.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { askAboutEvent } from '../../read/outputs/asked-event.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { eventLine } from '../../read/outputs/recording-head.ts';
import { formatCallTree } from '../render/call-tree-text.ts';
import { wantsColour } from '../shared/colour.ts';
import { figuresJson } from '../shared/figures-json.ts';
import { loadForCommand } from '../shared/load.ts';
import { selectFrom, selectsNothing } from '../shared/selection-flags.ts';
import { drawnTerminal, printJson, writeText } from '../shared/stdout.ts';
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
import { plainTable } from './plain-table.ts';
import { ratioSection, ratiosJson } from './ratio-section.ts';
import {
  findingLines,
  hideIdle,
  type LinePlace,
  nextLine,
  recordingLines,
  vouchLine,
} from './recording-lines.ts';
import {
  inOrder,
  limitsOf,
  type ReportFlags,
  rowsOfTable,
  selectRows,
  TABLES,
  type View,
} from './report-rows.ts';
import { showReading } from './rows-so-far.ts';
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
  const onProgress = showReading(path, flags);
  const opened = await loadForCommand(path, flags, {
    ...(onProgress && { onProgress }),
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
  const findings = findingsOf(opened);
  if (!isQuiet) {
    const only = sections.length === 1 && sections[0].heads.length === 1 ? sections[0] : null;
    print(recordingLines(opened, only?.heads[0] ?? null, flags.verbose === true));
    // Whose code ran does not depend on the frames that are shown.
    const keys = order.kind === 'grouped' ? order.keys : [];
    if (levelOfTable(keys, opened.facts.frames) === opened.facts.frames) print(framesLines(opened));
    if (flags.verbose) print(completenessLines(opened));
    print(findingLines(findings, null, 'above'));
  }
  for (const [at, { heads, above, table, below }] of sections.entries()) {
    if (isQuiet) {
      // The titles of fields are for programs that read them, too.
      print([...table.filter((line) => !line.startsWith('#')), '']);
      continue;
    }
    print([
      ...(sections.length > 1 ? [''].slice(at === 0 ? 1 : 0) : []),
      ...(sections.length > 1 || heads.length > 1 ? heads.map((head) => `# event ${head}`) : []),
      ...above,
      ...table,
      ...below,
    ]);
  }
  if (!isQuiet) {
    print(findingLines(findings, null, 'below'));
    if (fields === null && !selectsNothing(opened, select)) {
      print(['', ...nextLine(opened, path, flags.tree === true)]);
    }
  }
}

/** The table of an event or of a group of events. */
type Section = {
  /** Text of each event. */
  readonly heads: readonly string[];
  /** Lines without which the table would be misread. */
  readonly above: readonly string[];
  readonly table: readonly string[];
  /** Remarks on rows. */
  readonly below: readonly string[];
};

/** The lines of each event, or of each group of events that has one table. */
function sectionsOf(
  opened: OpenedProfile,
  events: readonly EventIndex[],
  flags: ReportFlags,
  view: View,
): Section[] {
  const isGrouped = flags.event === undefined && flags.group !== false && !flags.tree;
  const groups = isGrouped && view.fields === null ? opened.facts.groups : [];
  return events.flatMap((event) => {
    const group = groups.find((members) => members.includes(event));
    if (group === undefined) return [reportLines(opened, event, flags, view)];
    return group[0] === event ? [sectionOfGroup(opened, group, flags, view)] : [];
  });
}

/** The heads of all events of a group, then one table. */
function sectionOfGroup(
  opened: OpenedProfile,
  group: readonly EventIndex[],
  flags: ReportFlags,
  view: View,
): Section {
  const heads = group.map((event) => {
    const weights = opened.weights(flags.weight, event, view.select);
    const samples = opened.samplesOf(event, view.select);
    const report = computeGroupedReport(opened.profile, weights, samples, ['event']);
    return eventLine(opened, event, report, weights, view.select);
  });
  const options = groupedOptions(flags, view);
  const rows: SelectRows = (all) => selectRows(all, view.limits, view.byTotal === true);
  // The events are of the same moments, and so may be what is to be known about them.
  const remarks = (where: LinePlace): string[] => [
    ...new Set(group.flatMap((event) => eventFindings(opened, event, flags, view, where))),
  ];
  return {
    heads,
    above: remarks('above'),
    table: groupLines(opened, group, options, rows),
    below: remarks('below'),
  };
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
): Section {
  const { order, select, limits, fields, separator } = view;
  const weights = opened.weights(flags.weight, event, select);
  const samples = opened.samplesOf(event, select);
  const sectionOf = (
    report: Pick<FlatReport, 'samples' | 'weight'>,
    tableOf: () => readonly string[],
    remarks: readonly string[] = [],
  ): Section => ({
    heads: [eventLine(opened, event, report, weights, select)],
    above: eventFindings(opened, event, flags, view, 'above'),
    table: report.samples === 0 ? [] : tableOf(),
    below: [
      ...remarks,
      ...idleLines(opened.profile, weights, samples),
      ...eventFindings(opened, event, flags, view, 'below'),
    ],
  });
  const rows: SelectRows = (all) => selectRows(all, limits, view.byTotal === true);
  if (fields !== null) {
    const options = { ...groupedOptions(flags, view), keys: fields.keys };
    const grouped = groupedReport(opened, event, options);
    return sectionOf(grouped, () => fieldLines(grouped, fields, separator, rows));
  }
  if (order.kind === 'grouped' && !flags.tree) {
    const options = groupedOptions(flags, view);
    const grouped = groupedReport(opened, event, options);
    const profile = opened.profileAt(levelOfTable(options.keys, opened.facts.frames));
    return sectionOf(grouped, () => groupedLines(profile, grouped, options, rows));
  }
  if (flags.tree) {
    const report = computeFlatReport(opened.profile, weights, samples);
    return sectionOf(report, () => treeLines(opened, weights, samples, flags, limits));
  }
  const { report, table, remarks } = plainSection(opened, event, flags, view, { weights, samples });
  return sectionOf(report, table, remarks);
}

/** A table of functions, files, threads or comms, and remarks on its rows. */
function plainSection(
  opened: OpenedProfile,
  event: EventIndex,
  flags: ReportFlags,
  view: View,
  { weights, samples }: { readonly weights: Weights; readonly samples: Int32Array },
) {
  const { profile } = opened;
  const { order, select, limits } = view;
  const sort = order.kind === 'plain' ? order.key : 'sym';
  const estimator = opened.shareEstimator(weights, event, select);
  const totals = view.byTotal === true;
  const report = computeFlatReport(
    profile,
    weights,
    samples,
    estimator === null ? undefined : { estimator, tables: TABLES[sort], totals },
  );
  const isIdleShown = flags.idle === true || isRestricting(select) || sort !== 'sym';
  const asked = { profile, weights, rows: samples, estimator };
  const awake = hideIdle(rowsOfTable(asked, report, sort), (row) => row, isIdleShown);
  const hasIntervals = estimator !== null && !estimator.isExact;
  const isOrdered = sort !== 'sym' || totals;
  const pairs = isOrdered ? [] : findInseparablePairs(opened, event, report, estimator, select);
  const vouch = hasIntervals && report.samples > 0 ? vouchLine(findingsOf(opened), event) : [];
  const table = (): readonly string[] => {
    const { rows, rest } = selectRows(inOrder(awake.rows, view), limits, totals);
    const lines = plainTable(profile, rows, {
      sort,
      byTotal: view.byTotal === false ? null : totals,
      hasIntervals,
      hasBytes: weights.unit === 'bytes' && weights.kind === 'events',
      unsure: new Set(pairs.flatMap(({ first, second }) => [first, second])),
      colour: wantsColour(),
      terminal: drawnTerminal(),
    });
    return [...lines, ...rest];
  };
  const garbage = collectionLine(opened, event, report, select);
  const remarks = [...inseparableLines(pairs), ...awake.line, ...vouch, ...garbage];
  return { report, table, remarks };
}

/** The pauses for garbage, and the part of them that the first row has by its bytes: nobody can tell that of a function. */
function collectionLine(
  opened: OpenedProfile,
  event: EventIndex,
  { bySymbol }: FlatReport,
  select: SampleSelection,
): string[] {
  const { profile } = opened;
  const [most] = bySymbol;
  const isAsked = profile.events[event].name === ALLOCATED_EVENT && !isRestricting(select);
  if (!isAsked || most === undefined) return [];
  const pauses = opened.programMarks().filter(({ kind }) => kind === 'gc');
  const totalNs = pauses.reduce((sum, mark) => sum + mark.totalNs, 0);
  const count = pauses.reduce((sum, mark) => sum + mark.count, 0);
  if (count === 0) return [];
  const name = printable(shortName(funcLabel(profile, most.func)));
  const part = `${formatNanos(totalNs * most.selfShare)} for ${name}`;
  return [
    `# garbage collection: ${formatCount(count)} pauses, ${formatNanos(totalNs)}; divided by bytes allocated, ${part}`,
  ];
}

/**
 * Labels of functions of Node that load modules, and of code without names: four to six of the former lie between a module
 * and the one that it loads, two of the latter where Node loads its own.
 */
const PASSAGE = / node:internal\/modules\/|^\[JIT\] tid \d+$/;

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
  const label = memoize((group: number): string =>
    group < length
      ? printable(shortName(funcLabel(profile, group)))
      : `${printable(shortName(funcLabel(profile, group - length)))} (inlined)`,
  );
  return formatCallTree(shown, label, {
    leastShare: limits.leastShare,
    rows: limits.rows,
    isPassage: (group) => PASSAGE.test(label(group)),
    columns: drawnTerminal()?.columns ?? Number.POSITIVE_INFINITY,
  });
}

/** Findings are about the whole recording, weighed by events. */
function eventFindings(
  opened: OpenedProfile,
  event: EventIndex,
  { weight = 'events' }: ReportFlags,
  { select }: View,
  where: LinePlace,
): string[] {
  if (weight !== 'events' || isRestricting(select)) return [];
  return findingLines(findingsOf(opened), event, where);
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
      inseparable: findInseparablePairs(opened, event, report, estimator, select).map(
        ({ first, second, seconds }) => ({
          first: opened.nameOf(first),
          second: opened.nameOf(second),
          seconds,
        }),
      ),
    }),
    inStep: opened.inStep(event),
    ruleDoubt: opened.ruleDoubt(event),
    weightDoubt: opened.weightDoubt(event),
  };
}
