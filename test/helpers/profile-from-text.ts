import { NONE } from '../../src/base/brand.ts';
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import type {
  Dso,
  DsoKind,
  EventLoss,
  Profile,
  ProfileEvent,
  ProfileMeta,
  ProfileThread,
  WeightKind,
  Weights,
} from '../../src/profile/types.ts';

export const EMPTY_META: ProfileMeta = {
  commandLine: [],
  hostname: null,
  kernel: null,
  arch: null,
  startTime: '0',
  clock: 'monotonic',
  notes: [],
};

const FIELDS = ['comm', 'tid', 'event', 'period'] as const;

/**
 * A profile drawn as text: one column a sample, the outermost function on top.
 *
 *     comm    node   node   gzip       optional lines, one word a sample: comm (default `app`),
 *     period  10     20     5          tid (1), event (`cycles`), period (1)
 *
 *             main   main   main       functions stand exactly below one another; a column may
 *             work   idle              end early; `name@dso` names the DSO (default `app`,
 *             read@[kernel.kallsyms]   which `@` alone makes "no mapping")
 *
 * Columns start where the words of the first line start. Samples are 1 ms apart. Each function
 * has one address per DSO; `name+5` is the same function five bytes further on.
 */
export function profileFromText(
  text: string,
  meta: Partial<ProfileMeta> = {},
  losses: readonly EventLoss[] = [],
): Profile {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isField = (line: string) => FIELDS.some((field) => line.trim().startsWith(`${field} `));
  const fieldLines = lines.filter(isField);
  const stackLines = lines.filter((line) => !isField(line));
  const ruler = stackLines[0] ?? fieldLines[0] ?? '';
  const starts = [...ruler.matchAll(/(?<=^|\s{2}|^\s*)\S/g)].map((match) => match.index);
  const valuesOf = (field: string): string[] | undefined =>
    fieldLines
      .find((line) => line.trim().startsWith(`${field} `))
      ?.trim()
      .split(/\s+/)
      .slice(1);

  const builder = new ProfileBuilder();
  const dsos: Dso[] = [];
  const events: ProfileEvent[] = [];
  const threads: ProfileThread[] = [];
  const addressOf = new Map<string, number>();
  const [comms, tids, eventNames, periods] = FIELDS.map(valuesOf);

  for (const [sample, start] of starts.entries()) {
    let stack: number = NONE;
    for (const line of stackLines) {
      if (start > 0 && (line[start - 1] ?? ' ') !== ' ') {
        throw new Error(`a cell runs into column ${sample}: ${line}`);
      }
      const cell = line.slice(start, starts[sample + 1]).trim();
      if (cell === '' || cell === '-') break;
      const [, name = '', offset, dsoName] = /^(.*?)(?:\+(\d+))?(?:@(.*))?$/.exec(cell) ?? [];
      const dso = dsoName === '' ? NONE : internDso(dsos, dsoName ?? 'app');
      const base = addressOf.get(name) ?? 0x1000 + addressOf.size * 0x100;
      addressOf.set(name, base);
      const frame = builder.frames.intern(dso, base + Number(offset ?? 0));
      if (name !== '[unknown]') {
        builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), dso));
      }
      stack = builder.stacks.intern(stack, frame);
    }
    const comm = comms?.[sample] ?? 'app';
    builder.samples.add(
      stack,
      internThread(threads, Number(tids?.[sample] ?? 1), comm),
      builder.strings.intern(comm),
      internEvent(events, eventNames?.[sample] ?? 'cycles'),
      NONE,
      0,
      sample * 1e6,
      Number(periods?.[sample] ?? 1),
      Number.NaN,
    );
  }
  return builder.finish({
    meta: { ...EMPTY_META, ...meta },
    events,
    dsos,
    threads,
    streams: [],
    losses,
  });
}

function internDso(dsos: Dso[], name: string): number {
  const known = dsos.findIndex((dso) => dso.name === name);
  if (known !== NONE) return known;
  let kind: DsoKind = 'user';
  if (name.startsWith('[kernel')) kind = 'kernel';
  else if (name.startsWith('[JIT]')) kind = 'jit';
  else if (name === '[vdso]') kind = 'vdso';
  const path = name.startsWith('[') ? name : `/usr/lib/${name}`;
  return dsos.push({ kind, name, path, buildId: null }) - 1;
}

function internEvent(events: ProfileEvent[], name: string): number {
  const known = events.findIndex((event) => event.name === name);
  if (known !== NONE) return known;
  const unit = name.includes('clock') ? 'nanoseconds' : 'events';
  return (
    events.push({ name, type: 1, mode: 'frequency', frequencyHz: 4000, fixedPeriod: null, unit }) -
    1
  );
}

function internThread(threads: ProfileThread[], tid: number, comm: string): number {
  const known = threads.findIndex((thread) => thread.tid === tid);
  if (known !== NONE) return known;
  return threads.push({ pid: tid, tid, generation: 0, comm }) - 1;
}

/** 1 for each sample, or its period: the two weights that need no model of the period. */
export function simpleWeights(profile: Profile, kind: WeightKind = 'samples'): Weights {
  return kind === 'samples'
    ? { kind, unit: 'samples', values: new Float64Array(profile.samples.length).fill(1) }
    : {
        kind,
        unit: profile.events[0]?.unit ?? 'events',
        values: new Float64Array(profile.samples.periodEvents),
      };
}
