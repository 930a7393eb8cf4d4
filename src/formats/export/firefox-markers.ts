import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import { printable } from '../../base/printable.ts';
import { MARK_KINDS } from '../../profile/mark-table.ts';
import type { Profile } from '../../profile/types.ts';
import { CATEGORY, type FirefoxTables } from './firefox-tables.ts';
import { type RecordingMarks, SWITCH_STATE, type SwitchTable } from './recording-marks.ts';
import type { TextBuffer } from './text-buffer.ts';

/** A marker's `phase`: which of its two times are set. */
const PHASE = { INSTANT: 0, INTERVAL: 1, START: 2 } as const;

const SHOWN_IN = ['marker-chart', 'marker-table', 'timeline-overview'];

/** The names and display formats of the fields of each marker type. */
export const MARKER_SCHEMA = [
  {
    name: 'SamplesLost',
    tooltipLabel: 'Samples lost',
    tableLabel: '{marker.data.lost} lost on CPU {marker.data.cpu}',
    description: 'The ring buffer was full: these records did not fit before this moment.',
    display: SHOWN_IN,
    fields: [
      { key: 'lost', label: 'Records lost', format: 'integer' },
      { key: 'cpu', label: 'CPU', format: 'string' },
      { key: 'event', label: 'Event', format: 'string' },
    ],
  },
  {
    name: 'Throttled',
    tooltipLabel: 'Throttled',
    tableLabel: '{marker.data.event}',
    description: 'The kernel had paused the event, because it had sampled too often.',
    display: SHOWN_IN,
    fields: [
      { key: 'event', label: 'Event', format: 'string' },
      { key: 'stream', label: 'Stream', format: 'string' },
    ],
  },
  {
    name: 'PeriodReRamp',
    tooltipLabel: 'Period sought again',
    tableLabel: '{marker.data.event}: {marker.data.samples} samples, cause: {marker.data.cause}',
    description: 'The kernel was searching for the period again: samples are unevenly dense here.',
    display: SHOWN_IN,
    fields: [
      { key: 'event', label: 'Event', format: 'string' },
      { key: 'stream', label: 'Stream', format: 'string' },
      { key: 'cause', label: 'Cause', format: 'string' },
      { key: 'samples', label: 'Samples', format: 'integer' },
      { key: 'lowest', label: 'Lowest period', format: 'integer' },
      { key: 'highest', label: 'Highest period', format: 'integer' },
    ],
  },
  {
    name: 'OffCpu',
    tooltipLabel: 'Off CPU',
    tableLabel: '{marker.data.why}, CPU {marker.data.cpu}',
    description: 'The thread did not run.',
    display: ['marker-chart', 'marker-table'],
    fields: [
      { key: 'why', label: 'Why', format: 'string' },
      { key: 'cpu', label: 'CPU left', format: 'string' },
    ],
  },
  {
    name: 'ProgramMark',
    tooltipLabel: '{marker.data.kind}',
    tableLabel: '{marker.data.name}',
    description: 'What the program named: a request, a measure; or a collection of its garbage.',
    display: SHOWN_IN,
    fields: [
      { key: 'kind', label: 'Kind', format: 'string' },
      { key: 'name', label: 'Name', format: 'string' },
      { key: 'sent', label: 'As sent', format: 'string' },
      { key: 'status', label: 'Status', format: 'string' },
    ],
  },
] as const;

type MarkerType = (typeof MARKER_SCHEMA)[number]['name'];

/** The markers of one thread, as the columns of the format; each cell is JSON already. */
export class MarkerColumns {
  readonly #tables: FirefoxTables;
  readonly #data: string[] = [];
  readonly #name: number[] = [];
  readonly #startTime: string[] = [];
  readonly #endTime: string[] = [];
  readonly #phase: number[] = [];

  constructor(tables: FirefoxTables) {
    this.#tables = tables;
  }

  get length(): number {
    return this.#name.length;
  }

  /** `endNs`: the same as `startNs` for an instant, null for what did not end. */
  add(
    type: MarkerType,
    name: string,
    startNs: number,
    endNs: number | null,
    data: Readonly<Record<string, string | number>>,
  ): void {
    this.#data.push(JSON.stringify({ type, ...data }));
    this.#name.push(this.#tables.string(name));
    this.#startTime.push(milliseconds(startNs));
    const isInterval = endNs !== null && endNs !== startNs;
    this.#endTime.push(isInterval ? milliseconds(endNs) : 'null');
    this.#phase.push(isInterval ? PHASE.INTERVAL : endNs === null ? PHASE.START : PHASE.INSTANT);
  }

  write(buffer: TextBuffer): void {
    buffer.add(`{"length":${this.length}`);
    this.#writeColumn(buffer, 'data', this.#data);
    this.#writeColumn(buffer, 'name', this.#name);
    this.#writeColumn(buffer, 'startTime', this.#startTime);
    this.#writeColumn(buffer, 'endTime', this.#endTime);
    this.#writeColumn(buffer, 'phase', this.#phase);
    const category = new Array<number>(this.length).fill(CATEGORY.OTHER);
    this.#writeColumn(buffer, 'category', category);
    buffer.add('}');
  }

  #writeColumn(buffer: TextBuffer, name: string, cells: readonly (string | number)[]): void {
    buffer.add(`,"${name}":[`);
    for (let i = 0; i < cells.length; i++) buffer.add(i === 0 ? `${cells[i]}` : `,${cells[i]}`);
    buffer.add(']');
  }
}

/** Losses, throttling and re-ramps: what befell the recording, not one of its threads. */
export function recordingMarkers(
  profile: Profile,
  marks: RecordingMarks,
  shown: readonly number[],
  tables: FirefoxTables,
): MarkerColumns {
  const markers = new MarkerColumns(tables);
  const nameOf = (event: number) =>
    event === NONE ? 'unknown' : printable(profile.events[event]?.name ?? '');
  for (const { event, cpu, timeNs, lost } of marks.losses) {
    if (event !== NONE && !shown.includes(event)) continue;
    const data = { lost, cpu: cpuText(cpu), event: nameOf(event) };
    markers.add('SamplesLost', 'samples lost', timeNs, timeNs, data);
  }
  for (const { event, stream, startNs, endNs } of marks.throttles) {
    if (!shown.includes(event)) continue;
    const data = { event: nameOf(event), stream: profile.streams[stream]?.streamId ?? 'unknown' };
    markers.add('Throttled', 'throttled', startNs, endNs, data);
  }
  for (const { event, streamId, startNs, endNs, ...ramp } of marks.reRamps) {
    if (!shown.includes(event)) continue;
    const { cause, samples, lowestPeriod: lowest, highestPeriod: highest } = ramp;
    const stream = streamId ?? 'unknown';
    const data = { event: nameOf(event), stream, cause, samples, lowest, highest };
    markers.add('PeriodReRamp', 'period re-ramp', startNs, endNs, data);
  }
  return markers;
}

/**
 * When each thread did not run, from its going to its coming back; by row of `profile.threads`.
 * If the record of its coming back was lost, the next going counts, since its running time is
 * unknown.
 */
// Hot: once per context switch.
export function switchMarkers(
  profile: Profile,
  switches: SwitchTable,
  tables: FirefoxTables,
): Map<number, MarkerColumns> {
  const threadOfTid = new Map<number, number>();
  // A later generation of a process takes over: its switches are the later ones.
  for (const [thread, { tid }] of profile.threads.entries()) threadOfTid.set(tid, thread);
  const markersOf = new Map<number, MarkerColumns>();
  const wentOut = new Int32Array(profile.threads.length).fill(NONE);
  const addMarker = (thread: number, out: number, endNs: number | null) => {
    const markers = getOrMake(markersOf, thread, () => new MarkerColumns(tables));
    const why = switches.state[out] === SWITCH_STATE.PREEMPTED ? 'preempted' : 'waiting';
    const cpu = cpuText(switches.cpu[out]);
    markers.add('OffCpu', 'off CPU', switches.timeNs[out], endNs, { why, cpu });
  };
  for (let row = 0; row < switches.length; row++) {
    const thread = threadOfTid.get(switches.tid[row]);
    // The idle task has the tid 0 on every CPU: it never waits.
    if (thread === undefined || switches.tid[row] === 0) continue;
    if (switches.state[row] !== SWITCH_STATE.IN) {
      wentOut[thread] = row;
      continue;
    }
    const out = wentOut[thread];
    if (out !== NONE) addMarker(thread, out, switches.timeNs[row]);
    wentOut[thread] = NONE;
  }
  for (let thread = 0; thread < wentOut.length; thread++) {
    const out = wentOut[thread];
    if (out !== NONE) addMarker(thread, out, null);
  }
  return markersOf;
}

/** Adds what programs named to the markers of their threads; by row of `profile.threads`. */
export function addProgramMarkers(
  { marks }: Profile,
  tables: FirefoxTables,
  markersOf: Map<number, MarkerColumns>,
): void {
  if (marks === undefined) return;
  const { kind, loop, loops, name, text, names, fromNs, toNs, isOpen, status } = marks;
  for (let row = 0; row < marks.length; row++) {
    const { thread } = loops[loop[row]];
    if (thread === NONE) continue;
    const markers = markersOf.get(thread) ?? new MarkerColumns(tables);
    markersOf.set(thread, markers);
    const data = {
      kind: MARK_KINDS[kind[row]],
      name: printable(names[name[row]]),
      sent: printable(names[text[row]]),
      status: status[row] === 0 ? '' : `${status[row]}`,
    };
    const endNs = isOpen[row] === 1 ? null : toNs[row];
    markers.add('ProgramMark', data.kind, fromNs[row], endNs, data);
  }
}

function cpuText(cpu: number): string {
  return cpu < 0 ? 'unknown' : `${cpu}`;
}

/** Milliseconds as JSON, to the nanosecond. */
function milliseconds(ns: number): string {
  return `${Math.round(ns) / 1e6}`;
}
