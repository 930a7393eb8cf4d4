import { NONE } from '../../base/brand.ts';
import { FailedError } from '../../base/errors.ts';
import { lostSamplesOf } from '../../base/lost-samples.ts';
import {
  formatBytes,
  formatCount,
  formatKnownShare,
  formatNanos,
  formatShareInterval,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { withoutAsync } from '../../profile/async-frame.ts';
import { fileAndName } from '../../profile/func-label.ts';
import type { FuncIndex } from '../../profile/types.ts';
import { type AwaitRow, awaitedBy } from '../../questions/awaits.ts';
import type { MarkSummary } from '../../questions/marks.ts';
import {
  MEAN_TIMES,
  meanTimes,
  type RequestReport,
  type RouteRow,
} from '../../questions/requests.ts';
import { type SyscallSummary, syscallEvents } from '../../questions/syscalls.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { formatTable } from '../render/table.ts';
import { tableLook } from '../shared/colour.ts';
import { loadForCommand } from '../shared/load.ts';
import { askedSelection, selectFrom } from '../shared/selection-flags.ts';
import { printJson, writeText } from '../shared/stdout.ts';
import { funcPlace } from './func-place.ts';
import { recordingLines } from './recording-lines.ts';
import type { ReportFlags } from './report-rows.ts';

const USUAL_ROWS = 40;

/** `perf-ts report --marks`, `--syscalls` and `--by`. */
export async function runMarks(path: string, flags: ReportFlags): Promise<void> {
  const opened = await loadForCommand(path, flags);
  const lines = linesAsked(flags)(opened, path, flags);
  if (lines === null) return;
  const head = flags.quiet ? [] : [...recordingLines(opened, null, false), ''];
  writeText(`${[...head, ...lines].join('\n')}\n`);
}

function linesAsked({ marks, syscalls, by }: ReportFlags) {
  if (marks) return markLines;
  if (syscalls) return syscallLines;
  return by === 'await' ? awaitLines : requestLines;
}

/** Null where they are printed as a document. */
function markLines(opened: OpenedProfile, path: string, flags: ReportFlags): string[] | null {
  const { times } = askedSelection(flags, () => opened.recordedTime());
  const marks = opened.programMarks({ ...(times !== undefined && { times }) });
  if (marks.length === 0) throw noMarks(path, 'marks');
  const { shown, rest } = first(marks, flags);
  if (flags.json) {
    printJson(marksDocument(opened, shown));
    return null;
  }
  const rows = shown.map((mark) => [
    ...timesOf(mark),
    formatNanos(mark.totalNs),
    mark.kind,
    printable(mark.name),
  ]);
  return [...tableOf([...TIMES, 'together', 'kind', 'name'], rows, TIMES.length + 1), ...rest];
}

const TIMES = ['count', 'open', 'p50', 'p90', 'p99', 'longest'];

function timesOf(mark: Omit<MarkSummary, 'kind'>): string[] {
  const { count, open, p50Ns, p90Ns, p99Ns, longestNs } = mark;
  const lengths = [p50Ns, p90Ns, p99Ns, longestNs].map((ns) =>
    longestNs === 0 ? '' : formatNanos(ns),
  );
  return [formatCount(count), open === 0 ? '' : formatCount(open), ...lengths];
}

function syscallLines(opened: OpenedProfile, path: string, flags: ReportFlags): string[] | null {
  const calls = opened.syscalls({ select: selectFrom(opened, flags) });
  if (calls === null) {
    throw new FailedError(`${printable(path)} has no system calls`, [
      'record them: sudo perf-ts record --syscalls -- node app.js',
    ]);
  }
  const { shown, rest } = first(calls, flags);
  if (flags.json) {
    printJson(syscallsDocument(opened, shown));
    return null;
  }
  const profile = opened.profileAt('javascript');
  const rows = shown.map(({ count, totalNs, p50Ns, p99Ns, longestNs, bytes, call, func }) => [
    formatCount(count),
    ...[totalNs, p50Ns, p99Ns, longestNs].map(formatNanos),
    bytes === 0 ? '' : formatBytes(bytes),
    CALL.exec(call)?.[1] ?? printable(call),
    ...(func < 0
      ? ['', '(no function of the program)']
      : fileAndName(profile, func).map(printable)),
  ]);
  const head = ['calls', 'together', 'p50', 'p99', 'longest', 'bytes', 'call', 'file', 'function'];
  const { losses, events } = opened.profile;
  const lost = lostSamplesOf(losses, syscallEvents({ events })?.calls ?? NONE);
  return [
    ...tableOf(head, rows, head.indexOf('call')),
    ...rest,
    ...(lost > 0 ? [`# ${formatCount(lost)} calls were lost: they are in no row`] : []),
  ];
}

const CALL = /^\(kernel: (.+)\)$/;

/** The questions of `--by`, of an event. */
function askedOf(opened: OpenedProfile, flags: ReportFlags) {
  const { event, weight } = flags;
  return {
    ...(event !== undefined && { event }),
    ...(weight !== undefined && { weight }),
    select: selectFrom(opened, flags),
  };
}

function awaitLines(opened: OpenedProfile, path: string, flags: ReportFlags): string[] | null {
  const all = opened.awaits(askedOf(opened, flags));
  if (all === null) {
    throw new FailedError(`${printable(path)} does not have which functions awaited others`, [
      'record them, of a server of Node: perf-ts record --async-stacks -- node app.js',
    ]);
  }
  const { shown, rest } = first(all, flags);
  if (flags.json) {
    printJson(awaitsDocument(opened, opened.eventIndex(flags.event), shown));
    return null;
  }
  const profile = opened.profileAt('all');
  const rows = shown.map((row) => [
    formatKnownShare(row.share, row.interval ?? undefined),
    formatShareInterval(row.interval ?? undefined),
    formatCount(row.samples),
    ...fileAndName(profile, row.resumed).map(printable),
    printable(awaitedBy(profile, row) ?? '(not known)'),
  ]);
  return [
    ...tableOf(['total', '95% interval', 'samples', 'file', 'function', 'awaited by'], rows, 3),
    ...rest,
  ];
}

function requestLines(opened: OpenedProfile, path: string, flags: ReportFlags): string[] | null {
  const { event } = flags;
  const report = opened.requests(askedOf(opened, flags));
  if (report === null) throw noMarks(path, 'requests');
  if (flags.json) {
    printJson(requestsDocument(opened, opened.eventIndex(event), report));
    return null;
  }
  const { shown, rest } = first(report.routes, flags);
  const hasPool = shown.some(({ inPool }) => inPool > 0);
  const partOf = ({ weight: all }: RouteRow, part: number) =>
    all === 0 ? '' : formatKnownShare(part / all, undefined);
  const rows = shown.map((route) => [
    ...timesOf(route),
    formatKnownShare(route.share, route.interval ?? undefined),
    formatShareInterval(route.interval ?? undefined),
    partOf(route, route.inHandler),
    ...(hasPool ? [partOf(route, route.inPool)] : []),
    printable(route.name),
  ]);
  const others = report.untold.filter(
    ({ samples, while: during }) => samples > 0 || during !== 'other loops',
  );
  const untold = others.map(({ share, interval, while: during }) => [
    ...TIMES.map(() => ''),
    formatKnownShare(share, interval ?? undefined),
    formatShareInterval(interval ?? undefined),
    '',
    ...(hasPool ? [''] : []),
    UNTOLD[during],
  ]);
  const head = [
    ...TIMES,
    'share',
    '95% interval',
    'certain',
    ...(hasPool ? ['in pool'] : []),
    'route',
  ];
  const ofRoutes = tableOf(head, [...rows, ...untold], head.length - 1);
  return [...ofRoutes, ...spentLines(shown), ...rest];
}

/** A table of the parts of the time of a request, by route. */
function spentLines(routes: readonly RouteRow[]): string[] {
  const rows = routes
    .filter(({ times, totalNs }) => times !== null && totalNs > 0)
    .map((route) => [
      ...meanTimes(route).map((ns) => (ns === null || ns < 0.5 ? '' : formatNanos(ns))),
      printable(route.name),
    ]);
  if (rows.length === 0) return [];
  return ['', ...tableOf([...MEAN_TIMES, 'route'], rows, MEAN_TIMES.length)];
}

const UNTOLD: Readonly<Record<RequestReport['untold'][number]['while'], string>> = {
  'several routes': '(while requests of several routes were open)',
  'no request': '(while none was open)',
  'other loops': '(on event loops that answer none, as workers)',
  'other threads': '(on threads that answer none)',
};

function first<Row>(all: readonly Row[], { limit, json }: ReportFlags) {
  const most = limit ?? (json ? 0 : USUAL_ROWS);
  const shown = most === 0 ? all : all.slice(0, most);
  const left = all.length - shown.length;
  return { shown, rest: left > 0 ? [`… ${formatCount(left)} more rows (-n 0 shows all)`] : [] };
}

function tableOf(head: string[], rows: string[][], numbers: number): string[] {
  const right = head.map((_, column) => column).slice(0, numbers);
  return formatTable(head, rows, { right, ...tableLook() });
}

function noMarks(path: string, what: 'marks' | 'requests'): FailedError {
  const why =
    what === 'marks'
      ? 'nothing of perf-ts was in a Node program that it recorded'
      : 'no server of Node answered any in it, or nothing of perf-ts was in that';
  return new FailedError(`${printable(path)} has no ${what}: ${why}`, [
    'record it so: perf-ts record -- node app.js',
    'a running one: perf-ts record -p PID --attach-js',
  ]);
}

/** The document of `--marks --json`. Times are nanoseconds. */
export function marksDocument(opened: OpenedProfile, marks: readonly MarkSummary[]) {
  return { schema: 'perf-ts/marks@1' as const, marks, findings: findingsOf(opened) };
}

/** The document of `--syscalls --json`. Times are nanoseconds. */
export function syscallsDocument(opened: OpenedProfile, calls: readonly SyscallSummary[]) {
  const profile = opened.profileAt('javascript');
  return {
    schema: 'perf-ts/syscalls@1' as const,
    calls: calls.map(({ func, call, ...figures }) => ({
      call: CALL.exec(call)?.[1] ?? call,
      function: func < 0 ? null : profile.strings[profile.funcs.name[func]],
      ...(func >= 0 && funcPlace(profile, func)),
      ...figures,
    })),
    findings: findingsOf(opened),
  };
}

/** The document of `--by await --json`: `weight` in the unit of the event. */
export function awaitsDocument(opened: OpenedProfile, event: number, rows: readonly AwaitRow[]) {
  const profile = opened.profileAt('all');
  const named = (func: FuncIndex) => ({
    function: withoutAsync(profile.strings[profile.funcs.name[func]]),
    ...funcPlace(profile, func),
  });
  return {
    schema: 'perf-ts/awaits@1' as const,
    event: opened.profile.events[event].name,
    functions: rows.map(({ resumed, awaiting, ...share }) => ({
      ...named(resumed),
      /** The innermost first; null: they are not known. */
      awaitedBy: awaiting?.map(named) ?? null,
      ...share,
    })),
    findings: findingsOf(opened),
  };
}

/** The document of `--by request --json`: `weight` in the unit of the event. */
export function requestsDocument(
  opened: OpenedProfile,
  event: number,
  { routes, untold }: RequestReport,
) {
  return {
    schema: 'perf-ts/requests@1' as const,
    event: opened.profile.events[event].name,
    routes,
    untold,
    findings: findingsOf(opened),
  };
}
