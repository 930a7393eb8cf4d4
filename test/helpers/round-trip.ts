import { NONE } from '../../src/base/brand.ts';
import { memorySource } from '../../src/base/byte-source.ts';
import { writeFirefox } from '../../src/export/firefox.ts';
import { writeFolded } from '../../src/export/folded.ts';
import { writeSpeedscope } from '../../src/export/speedscope.ts';
import { importFolded } from '../../src/import/folded.ts';
import { checkProfile } from '../../src/profile/check.ts';
import { selectSamples } from '../../src/profile/filter.ts';
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import type {
  Dso,
  Profile,
  ProfileEvent,
  ProfileThread,
  Weights,
} from '../../src/profile/types.ts';
import { EMPTY_META } from './profile-from-text.ts';
import { parseFirefox } from './round-trip-firefox.ts';
import { parsePprof, pprofText } from './round-trip-pprof.ts';

/** What an export says, as a profile again. */
export type Parsed = { readonly profile: Profile; readonly weights: Weights };

/** A format that can be read back: one row of the conformance loop. */
export type Format = {
  readonly name: string;
  write(profile: Profile, weights: Weights): string;
  parse(text: string): Parsed;
  /** The format leaves out all events but the first. */
  readonly isOneEvent: boolean;
};

export const FORMATS: readonly Format[] = [
  {
    name: 'folded',
    write: (profile, weights) =>
      collect((write) => writeFolded(profile, weights, { names: 'full' }, write)),
    parse: parseFolded,
    isOneEvent: true,
  },
  {
    name: 'folded, by the importer',
    // As a file has it: half of a surrogate pair does not exist in UTF-8.
    write: (profile, weights) =>
      Buffer.from(
        collect((write) => writeFolded(profile, weights, { names: 'full' }, write)),
      ).toString(),
    parse: parseByImporter,
    isOneEvent: true,
  },
  {
    name: 'speedscope',
    write: (profile, weights) => collect((write) => writeSpeedscope(profile, weights, {}, write)),
    parse: parseSpeedscope,
    isOneEvent: false,
  },
  {
    name: 'firefox',
    write: (profile, weights) => collect((write) => writeFirefox(profile, weights, {}, write)),
    parse: parseFirefox,
    isOneEvent: false,
  },
  { name: 'pprof', write: pprofText, parse: parsePprof, isOneEvent: false },
];

/** All that `run` writes, as one text. */
export function collect(run: (write: (text: string) => void) => void): string {
  let text = '';
  run((part) => {
    text += part;
  });
  return text;
}

/**
 * Exports, parses, compares the number of stacks and the total weight with the original, exports
 * again and compares the bytes. Returns the exported text. Throws with both values.
 */
export function checkRoundTrip(format: Format, profile: Profile, weights: Weights): string {
  checkProfile(profile);
  const text = format.write(profile, weights);
  const parsed = format.parse(text);
  checkProfile(parsed.profile);

  const first = profile.samples.event[0] ?? 0;
  const samples = selectSamples(profile, format.isOneEvent ? { event: first } : {});
  let total = 0;
  for (const sample of samples) total += weights.values[sample] as number;
  const parsedTotal = parsed.weights.values.reduce((sum, weight) => sum + weight, 0);
  if (Math.abs(parsedTotal - total) > 1e-9 * Math.max(1, total)) {
    throw new Error(`${format.name}: total weight ${total} came back as ${parsedTotal}`);
  }
  const again = format.write(parsed.profile, parsed.weights);
  if (again !== text) {
    const at = [...text].findIndex((character, index) => again[index] !== character);
    throw new Error(
      `${format.name}: the second export differs at ${at}:\n` +
        `first:  ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 40))}\n` +
        `second: ${JSON.stringify(again.slice(Math.max(0, at - 40), at + 40))}`,
    );
  }
  return text;
}

/** `comm;…;leaf weight` lines, one sample each. */
export function parseFolded(text: string): Parsed {
  const made = new ParsedProfile();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const match = /^(.*) (\d+(?:\.\d+)?)$/.exec(line);
    if (match === null) throw new Error(`not a folded line: ${JSON.stringify(line)}`);
    const [comm = '', ...names] = (match[1] as string).split(';');
    const stack = made.stack(names.map((name) => made.frame(name, null)));
    made.sample(stack, made.thread(comm, 1), 'event', Number(match[2]));
  }
  return made.finish('samples');
}

/** As `perf-ts report out.folded` reads them. */
function parseByImporter(text: string): Parsed {
  const { profile, diagnostics } = importFolded(memorySource(new TextEncoder().encode(text)));
  for (const { reason, example } of diagnostics.entries()) throw new Error(`${reason}: ${example}`);
  const values = profile.samples.periodEvents;
  return { profile, weights: { kind: 'period', unit: 'events', values } };
}

type SpeedscopeFile = {
  readonly shared: { readonly frames: readonly { name: string; file?: string }[] };
  readonly profiles: readonly {
    readonly name: string;
    readonly unit: string;
    readonly samples: readonly (readonly number[])[];
    readonly weights: readonly number[];
  }[];
  readonly name: string;
};

/** Profiles named `comm (tid N) event, unit`, as `writeSpeedscope` names them. */
export function parseSpeedscope(text: string): Parsed {
  const file = JSON.parse(text) as SpeedscopeFile;
  const made = new ParsedProfile();
  const frames = file.shared.frames.map(({ name, file }) => made.frame(name, file ?? null));
  let unit: Weights['unit'] = 'samples';
  for (const profile of file.profiles) {
    const match = /^(.*) \(tid (\d+)\) (.*), (\w+)$/s.exec(profile.name);
    if (match === null) throw new Error(`not the name of a thread: ${profile.name}`);
    const [, comm = '', tid = '', event = '', unitName = ''] = match;
    unit = unitName as Weights['unit'];
    const thread = made.thread(comm, Number(tid));
    for (const [index, sample] of profile.samples.entries()) {
      const stack = made.stack(sample.map((frame) => frames[frame] as number));
      made.sample(stack, thread, event, profile.weights[index] as number, unit);
    }
  }
  const kind = /weight: samples$/.test(file.name)
    ? 'samples'
    : file.name.includes('period that each')
      ? 'period'
      : 'events';
  return made.finish(kind, unit);
}

/** Collects what a parser finds. Every name is a function with an address of its own. */
class ParsedProfile {
  readonly #builder = new ProfileBuilder();
  readonly #dsos: Dso[] = [];
  readonly #threads: ProfileThread[] = [];
  readonly #events: ProfileEvent[] = [];
  readonly #weights: number[] = [];

  frame(name: string, file: string | null): number {
    let dso: number = NONE;
    if (file !== null) {
      dso = this.#dsos.findIndex((known) => known.path === file);
      if (dso === NONE) {
        dso = this.#dsos.push({ kind: 'user', name: file, path: file, buildId: null }) - 1;
      }
    }
    const func = this.#builder.internFunc(this.#builder.strings.intern(name), dso);
    const frame = this.#builder.internFrame(dso, func);
    this.#builder.setFunc(frame, func);
    return frame;
  }

  stack(frames: readonly number[]): number {
    let stack: number = NONE;
    for (const frame of frames) stack = this.#builder.internStack(stack, frame);
    return stack;
  }

  thread(comm: string, tid: number): number {
    const known = this.#threads.findIndex((thread) => thread.comm === comm && thread.tid === tid);
    if (known !== NONE) return known;
    return this.#threads.push({ pid: tid, tid, generation: 0, comm }) - 1;
  }

  sample(
    stack: number,
    thread: number,
    eventName: string,
    weight: number,
    unit: Weights['unit'] = 'events',
  ): void {
    let event = this.#events.findIndex((known) => known.name === eventName);
    if (event === NONE) {
      event =
        this.#events.push({
          name: eventName,
          type: 1,
          mode: 'period',
          frequencyHz: null,
          fixedPeriod: 1,
          unit: unit === 'nanoseconds' ? unit : 'events',
        }) - 1;
    }
    const comm = this.#builder.strings.intern((this.#threads[thread] as ProfileThread).comm);
    const timeNs = this.#weights.length;
    this.#builder.addSample(stack, thread, comm, event, NONE, NONE, timeNs, 1, Number.NaN);
    this.#weights.push(weight);
  }

  finish(kind: Weights['kind'], unit: Weights['unit'] = 'samples'): Parsed {
    const profile = this.#builder.finish({
      meta: EMPTY_META,
      events: this.#events,
      dsos: this.#dsos,
      threads: this.#threads,
      streams: [],
      losses: [],
    });
    return { profile, weights: { kind, unit, values: Float64Array.from(this.#weights) } };
  }
}
