import { UsageError } from '../../base/errors.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE, sampleTypeNames } from '../../kernel/perf-event/constants.ts';
import { SCRIPT_FIELD_BITS } from '../../kernel/perf-event/sample-fields.ts';
import { notify } from '../shared/failure.ts';

/** Fields of `-F`, by perf's names, with the bits of `sample_type` of which one is needed. */
const FIELD_BITS = {
  comm: PERF_SAMPLE.TID,
  pid: PERF_SAMPLE.TID,
  tid: PERF_SAMPLE.TID,
  cpu: PERF_SAMPLE.CPU,
  time: PERF_SAMPLE.TIME,
  period: 0,
  event: 0,
  trace: PERF_SAMPLE.RAW,
  cgroup: PERF_SAMPLE.CGROUP,
  ip: PERF_SAMPLE.IP,
  sym: PERF_SAMPLE.IP,
  symoff: PERF_SAMPLE.IP,
  dso: PERF_SAMPLE.IP,
  srcline: PERF_SAMPLE.IP,
  brstacksym: PERF_SAMPLE.BRANCH_STACK,
  ...SCRIPT_FIELD_BITS,
} as const satisfies Readonly<Record<string, number>>;

export type ScriptField = keyof typeof FIELD_BITS;
export type FieldSet = ReadonlySet<ScriptField>;

/** Fields that perf has and that need what is not here. */
const ELSEWHERE = new Set([
  ...['srccode', 'bpf-output', 'callindent', 'insn', 'insnlen', 'synth', 'metric'],
  ...['misc', 'ipc', 'tod', 'machine_pid', 'vcpu', 'brstackoff', 'flags', 'dsoff', 'disasm'],
  ...['brstackinsn', 'brstackinsnlen', 'brcntr', 'brstackdisasm'],
]);

const OF_FRAMES: readonly ScriptField[] = ['ip', 'sym', 'symoff', 'dso'];
const OF_SAMPLE: readonly ScriptField[] = ['comm', 'tid', 'cpu', 'time', 'event'];

/** perf's names of event types in `-F TYPE:fields`. */
const TYPES: Readonly<Record<string, number>> = {
  hw: PERF_TYPE.HARDWARE,
  sw: PERF_TYPE.SOFTWARE,
  trace: PERF_TYPE.TRACEPOINT,
  raw: PERF_TYPE.RAW,
  break: PERF_TYPE.BREAKPOINT,
};

/** An event as far as fields depend on it. */
export type FieldEvent = { readonly name: string; readonly attr: EventAttr };

/**
 * The fields that are printed of each event. Without `-F` perf's default: of what the event
 * recorded. Throws `UsageError` for an unknown field, and for a named one that no event recorded.
 *
 *   -F comm,tid,time,ip    these only
 *   -F +addr,-cpu          the default, changed
 *   -F trace:time,trace    for tracepoints only
 */
export function chooseFields(
  lists: readonly string[],
  events: readonly FieldEvent[],
): readonly FieldSet[] {
  const chosen = events.map(({ attr }) => defaultFields(attr));
  for (const list of lists) applyList(list, events, chosen);
  return chosen.map((fields, index) => {
    const { attr } = events[index];
    return new Set([...fields].filter((field) => isRecorded(field, attr)));
  });
}

function applyList(list: string, events: readonly FieldEvent[], chosen: Set<ScriptField>[]): void {
  const typed = /^([a-z]+):(.*)$/.exec(list);
  const type = typed === null ? undefined : TYPES[typed[1]];
  if (typed !== null && type === undefined) {
    throw new UsageError(`-F ${list}: no event type ${typed[1]}`, [
      `the types are: ${Object.keys(TYPES).join(', ')}`,
    ]);
  }
  const words = (typed?.[2] ?? list).split(',').filter((word) => word !== '');
  const isChange = words.some((word) => /^[+-]/.test(word));
  if (isChange && !words.every((word) => /^[+-]/.test(word))) {
    throw new UsageError(`-F ${list}: fields with + or - don't go with others`);
  }
  const concerned = events.map(({ attr }) => type === undefined || attr.type === type);
  const fields = words.map((word) => fieldOf(list, word.replace(/^[+-]/, '')));
  chosen.forEach((set, index) => {
    if (!concerned[index]) return;
    if (!isChange) set.clear();
    fields.forEach((field, i) => {
      if (words[i]?.startsWith('-')) set.delete(field);
      else set.add(field);
    });
  });
  fields.forEach((field, i) => {
    if (words[i]?.startsWith('-')) return;
    const among = events.filter((_, index) => concerned[index]);
    if (among.length === 0 || among.some(({ attr }) => isRecorded(field, attr))) return;
    // As in perf: for all types of event it is asked of those that can have it.
    if (field === 'trace' && type === undefined && !among.some(isTracepoint)) {
      notify('perf-ts: -F trace: no event of this recording is a tracepoint; ignored');
      return;
    }
    const { name, attr } = among[0];
    throw new UsageError(`-F ${field}: no event of this recording has it`, [
      `${name} recorded ${sampleTypeNames(attr.sampleType).join('|')}`,
    ]);
  });
}

function fieldOf(list: string, word: string): ScriptField {
  if (Object.hasOwn(FIELD_BITS, word)) return word as ScriptField;
  const reason = ELSEWHERE.has(word) ? 'is not printed by this program' : 'is no field';
  throw new UsageError(`-F ${list}: ${word} ${reason}`, [
    `the fields are: ${Object.keys(FIELD_BITS).join(', ')}`,
  ]);
}

function isRecorded(field: ScriptField, { sampleType }: EventAttr): boolean {
  const bits = FIELD_BITS[field];
  return bits === 0 || (sampleType & bits) !== 0;
}

function isTracepoint({ attr }: FieldEvent): boolean {
  return attr.type === PERF_TYPE.TRACEPOINT;
}

/** perf's: tracepoints say what they trace, and where only with a callchain. */
function defaultFields({ type, sampleType }: EventAttr): Set<ScriptField> {
  const fields = new Set(OF_SAMPLE);
  const isTraced = type === PERF_TYPE.TRACEPOINT;
  if (isTraced) fields.add('trace');
  else fields.add('period');
  if (!isTraced || sampleType & PERF_SAMPLE.CALLCHAIN) {
    for (const field of OF_FRAMES) fields.add(field);
  }
  return fields;
}
