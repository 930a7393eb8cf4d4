import { asArray, asNumber, asObject, asText } from './json-text.ts';

type Json = Readonly<Record<string, unknown>>;

/** A profile of a trace, in the form of a .cpuprofile, and the thread that it is of. */
export type TraceProfile = {
  readonly file: Json;
  readonly thread: Json;
};

/** The events of a trace: all of the file, or a member of it; null for other files. */
export function traceEventsOf(file: unknown): readonly unknown[] | null {
  const events = Array.isArray(file) ? file : asObject(file)?.traceEvents;
  return Array.isArray(events) ? events : null;
}

/**
 * The profiles of V8 in a trace of Chrome, DevTools or Node (https://chromium.googlesource.com/catapult, "Trace Event
 * Format"; V8's `src/profiler/profile-generator.cc`). A profile comes in parts, which have its process and id in common; a
 * part's nodes name their callers by `parent`. The thread is that of `Profile`: parts are written by another one.
 *
 *   { "name": "Profile", "pid", "tid", "id", "args": { "data": { "startTime": µs } } }
 *   { "name": "ProfileChunk", "pid", "id",
 *     "args": { "data": { "cpuProfile": { "nodes": [node], "samples": [id] }, "timeDeltas": [µs], "endTime": µs } } }
 *
 * Other writers, and Chrome up to 57 in one `CpuProfile`, have all of it within `cpuProfile`. `leaveOut` gets what is wrong with parts that are left out.
 */
export function listTraceProfiles(
  events: readonly unknown[],
  leaveOut: (what: string) => void,
): TraceProfile[] {
  const names = namesOf(events);
  const found = new Map<string, Parts>();
  for (const value of events) {
    const event = asObject(value);
    const name = asText(event?.name);
    if (event === null || !PROFILE_EVENTS.has(name)) continue;
    const key = `${event.pid} ${event.id ?? `of ${event.tid}`}`;
    const data = asObject(asObject(event.args)?.data);
    let parts = found.get(key);
    if (parts === undefined && name !== CHUNK) {
      const { pid, tid } = event;
      const thread = { pid, tid, comm: names.get(`${pid}/${tid}`) };
      parts = { thread, startTime: data?.startTime, nodes: [], samples: [], timeDeltas: [] };
      found.set(key, parts);
    }
    if (parts === undefined) leaveOut(`a part of profile ${key}, whose begin is not there`);
    else addPart(parts, data);
  }
  return Array.from(found.values(), ({ thread, ...file }) => ({ file, thread }));
}

const CHUNK = 'ProfileChunk';
const PROFILE_EVENTS: ReadonlySet<string> = new Set(['Profile', CHUNK, 'CpuProfile']);

type Parts = {
  readonly thread: Json;
  startTime: unknown;
  endTime?: number;
  readonly nodes: unknown[];
  readonly samples: unknown[];
  readonly timeDeltas: unknown[];
};

function addPart(parts: Parts, data: Json | null): void {
  const profile = asObject(data?.cpuProfile);
  // Some writers have 0 in `Profile`, and the time on the clock of `endTime` here.
  parts.startTime = profile?.startTime ?? parts.startTime;
  const endTime = asNumber(data?.endTime ?? profile?.endTime, Number.NaN);
  if (!Number.isNaN(endTime)) parts.endTime = endTime;
  for (const node of asArray(profile?.nodes)) parts.nodes.push(node);
  const samples = asArray(profile?.samples);
  const deltas = asArray(data?.timeDeltas ?? profile?.timeDeltas);
  // Each sample has its time, also where a part lacks some: those of later parts are not moved up.
  for (const [i, sample] of samples.entries()) {
    parts.samples.push(sample);
    parts.timeDeltas.push(deltas[i] ?? 0);
  }
}

/** Names of threads by `pid/tid`. */
function namesOf(events: readonly unknown[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const value of events) {
    const event = asObject(value);
    if (event?.name !== 'thread_name') continue;
    names.set(`${event.pid}/${event.tid}`, asText(asObject(event.args)?.name));
  }
  return names;
}
