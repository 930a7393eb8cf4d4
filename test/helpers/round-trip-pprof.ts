import { Profile as PprofProfile } from 'pprof-format';
import { NONE } from '../../src/base/brand.ts';
import { addressOf } from '../../src/base/u64.ts';
import { writePprof } from '../../src/formats/export/pprof.ts';
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import type {
  Dso,
  Profile,
  ProfileEvent,
  ProfileThread,
  Weights,
} from '../../src/profile/types.ts';
import { EMPTY_META } from './profile-from-text.ts';

type Message = Omit<PprofProfile, 'stringTable'> & { readonly stringTable: { strings: string[] } };

/**
 * The exported message, field by field, as JSON: equal texts are equal messages. Integers that a
 * double would round are strings.
 */
export function pprofText(profile: Profile, weights: Weights): string {
  const pieces: Uint8Array[] = [];
  writePprof(profile, weights, {}, (bytes) => pieces.push(bytes));
  const message = PprofProfile.decode(Buffer.concat(pieces));
  return JSON.stringify(message, (_key, value) => {
    if (typeof value !== 'bigint') return value;
    const signed = BigInt.asIntN(64, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : `${signed}`;
  });
}

/**
 * A row of n samples becomes n samples, of which the first has the weight. Times are lost: all but
 * the last sample's are 0.
 */
export function parsePprof(json: string): { profile: Profile; weights: Weights } {
  const file = JSON.parse(json) as Message;
  const text = (index: number | bigint) => file.stringTable.strings[Number(index)];
  const comments = file.comment.map(text);
  const kind = kindOf(comments[0]);
  const events = comments.slice(1).flatMap((comment) => eventOf(comment) ?? []);
  const columns = kind === 'samples' ? 1 : 2;
  for (const [index, event] of events.entries()) {
    const { type, unit } = file.sampleType[index * columns + columns - 1];
    // Samples are counted: the period tells the unit of the event that is shown by default.
    const isDefault = type === file.defaultSampleType;
    const weighed = kind !== 'samples' ? unit : isDefault ? file.periodType?.unit : undefined;
    if (weighed !== undefined && text(weighed) === 'nanoseconds') event.unit = 'nanoseconds';
  }

  const builder = new ProfileBuilder();
  const intern = (name: string) => builder.strings.intern(name);
  const dsos: Dso[] = [];
  const dsoOfMapping = new Map<number, number>();
  for (const { id, filename } of file.mapping.toSorted((a, b) => Number(a.id) - Number(b.id))) {
    const path = text(filename);
    const kind = path.startsWith('[') ? ('kernel' as const) : ('user' as const);
    dsoOfMapping.set(Number(id), dsos.push({ kind, name: path, path, buildId: null }) - 1);
  }
  const framesOf = new Map<number, number[]>();
  for (const { id, mappingId, address, line } of file.location) {
    const dso = dsoOfMapping.get(Number(mappingId)) ?? NONE;
    const frames = line.toReversed().map(({ functionId, line }, depth) => {
      const { name: nameText, filename } = file.function[Number(functionId) - 1];
      const name = text(nameText);
      const path = dsos[dso]?.path ?? '';
      const isUnknown = name === `[${path.slice(path.lastIndexOf('/') + 1)}]`;
      const frame = builder.frames.intern(dso, addressOf(BigInt(address)), depth);
      const func = builder.funcs.intern(intern(isUnknown ? '[unknown]' : name), dso);
      builder.frames.setFunc(frame, func);
      if (text(filename) !== '') {
        builder.frames.setLocation(frame, intern(text(filename)), Number(line));
      }
      return frame;
    });
    framesOf.set(Number(id), frames);
  }

  const threads: ProfileThread[] = [];
  const values: number[] = [];
  const rows = file.sample.map(({ locationId, value, label }) => {
    let stack: number = NONE;
    for (const id of locationId.toReversed()) {
      for (const frame of framesOf.get(Number(id))!) stack = builder.stacks.intern(stack, frame);
    }
    const [comm, threadComm, pid, tid, cpu] = label.map(({ str }) => text(str));
    const event = Math.floor(value.findIndex((it) => it !== 0) / columns);
    const thread = threadOf(threads, Number(pid), Number(tid), threadComm);
    const weight = Number(value[event * columns + columns - 1]);
    const count = Number(value[event * columns]);
    return {
      stack,
      thread,
      comm: intern(comm),
      cpu: Number(cpu ?? -1),
      event,
      weight,
      count,
    };
  });
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  for (const { stack, thread, comm, cpu, event, weight, count } of rows) {
    for (let i = 0; i < count; i++) {
      const timeNs = values.length === total - 1 ? Number(file.durationNanos) : 0;
      builder.samples.add(stack, thread, comm, event, NONE, cpu, timeNs, 1, Number.NaN);
      values.push(kind === 'samples' ? 1 : i === 0 ? weight : 0);
    }
  }
  const parts = { meta: EMPTY_META, events, dsos, threads, streams: [], losses: [] };
  const unit = kind === 'samples' ? 'samples' : (events[0]?.unit ?? 'events');
  return {
    profile: builder.finish(parts),
    weights: { kind, unit, values: Float64Array.from(values) },
  };
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

/** Every event has a comment that says how it was sampled. */
function eventOf(comment: string): Mutable<ProfileEvent> | null {
  const match =
    /^(.*): (?:the kernel .* (\d+) Hz|a sample every (\d+) (\w+)|each sample recorded the (\w+) .*)$/.exec(
      comment,
    );
  if (match === null) return null;
  const [, name = '', hz, period, unit = match[5]] = match;
  return {
    name,
    type: 1,
    mode: hz === undefined ? 'period' : 'frequency',
    frequencyHz: hz === undefined ? null : Number(hz),
    fixedPeriod: period === undefined ? null : Number(period),
    unit: unit === 'nanoseconds' ? unit : 'events',
  };
}

function kindOf(comment: string): Weights['kind'] {
  if (comment === 'weight: samples') return 'samples';
  return comment.includes('period that each') ? 'period' : 'events';
}

function threadOf(threads: ProfileThread[], pid: number, tid: number, comm: string): number {
  const known = threads.findIndex((it) => it.pid === pid && it.tid === tid && it.comm === comm);
  return known !== NONE ? known : threads.push({ pid, tid, generation: 0, comm }) - 1;
}
