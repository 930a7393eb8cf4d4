import { NONE } from '../../src/base/brand.ts';
import { memorySource } from '../../src/base/byte-source.ts';
import { printable } from '../../src/base/printable.ts';
import { finish } from '../../src/base/slices.ts';
import { writeFirefox } from '../../src/formats/export/firefox.ts';
import { escapeComm, escapeFrameName, writeFolded } from '../../src/formats/export/folded.ts';
import { writeSpeedscope } from '../../src/formats/export/speedscope.ts';
import { importFolded } from '../../src/formats/import/folded.ts';
import { selectSamples } from '../../src/profile/analysis/select/filter.ts';
import { funcLabel } from '../../src/profile/func-label.ts';
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import type {
  Dso,
  Profile,
  ProfileEvent,
  ProfileThread,
  Weights,
} from '../../src/profile/types.ts';
import { checkProfile } from './check-profile.ts';
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
  /** Whose comm it keeps: the sample's, as it was then, or its thread's, which is the last one. */
  readonly comms: 'sample' | 'thread';
  /** Its weights are whole numbers, others are rounded. */
  readonly isWhole?: boolean;
};

export const FORMATS: readonly Format[] = [
  {
    name: 'folded',
    write: (profile, weights) =>
      collect((write) => writeFolded(profile, weights, { names: 'full' }, write)),
    parse: parseFolded,
    isOneEvent: true,
    comms: 'sample',
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
    comms: 'sample',
  },
  {
    name: 'speedscope',
    write: (profile, weights) => collect((write) => writeSpeedscope(profile, weights, {}, write)),
    parse: parseSpeedscope,
    isOneEvent: false,
    comms: 'thread',
  },
  {
    name: 'firefox',
    write: (profile, weights) => collect((write) => writeFirefox(profile, weights, {}, write)),
    parse: parseFirefox,
    isOneEvent: false,
    comms: 'thread',
  },
  {
    name: 'pprof',
    write: pprofText,
    parse: parsePprof,
    isOneEvent: false,
    comms: 'sample',
    isWhole: true,
  },
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
 * Exports, parses, compares every stack and its weight with the original, exports again and
 * compares the bytes. Returns the exported text. Throws with both values.
 *
 * `settles`: the first export may number things in an order that the format does not keep, as that
 * of strings and DSOs which nothing refers to. Then the second export and the third are compared.
 */
export function checkRoundTrip(
  format: Format,
  profile: Profile,
  weights: Weights,
  { settles = false }: { readonly settles?: boolean } = {},
): string {
  checkProfile(profile);
  const text = format.write(profile, weights);
  const parsed = format.parse(text);
  checkProfile(parsed.profile);
  checkStacks(format, { profile, weights }, parsed);

  const again = format.write(parsed.profile, parsed.weights);
  if (!settles || again === text) {
    checkSameText(format.name, text, again);
    return text;
  }
  const parsedAgain = format.parse(again);
  checkStacks(format, parsed, parsedAgain);
  checkSameText(format.name, again, format.write(parsedAgain.profile, parsedAgain.weights));
  return text;
}

/** Throws unless both have the same stacks with the same weights, as far as the format tells. */
function checkStacks(format: Format, before: Parsed, after: Parsed): void {
  const expected = stackWeights(format, before);
  const found = stackWeights(format, after);
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const [a = Number.NaN, b = Number.NaN] = [expected.get(key), found.get(key)];
    const rounding = format.isWhole === true ? 1 : 1e-9;
    if (!(Math.abs(a - b) <= Math.max(rounding, 1e-9 * a))) {
      throw new Error(
        `${format.name}: ${JSON.stringify(key)} weighs ${a}, and came back with ${b}`,
      );
    }
  }
}

/** Σ weight of every event, comm and stack, named as a folded line names them. */
function stackWeights({ isOneEvent, comms }: Format, { profile, weights }: Parsed) {
  const { samples, threads, strings, events, stacks, frames, funcs } = profile;
  const labels = Array.from({ length: funcs.length }, (_, func) =>
    escapeFrameName(funcLabel(profile, func)),
  );
  const paths: string[] = [];
  for (let row = 0; row < stacks.length; row++) {
    const label = labels[frames.func[stacks.frame[row]]];
    const prefix = stacks.prefix[row];
    paths.push(prefix === NONE ? label : `${paths[prefix]};${label}`);
  }
  // By numbers first: a folded line may have been a million samples.
  const namers = comms === 'thread' ? samples.thread : samples.comm;
  const width = Math.max(threads.length, strings.length);
  const sumOfRows = new Map<number, number>();
  // The first event that has samples.
  let shown = events.length;
  for (let row = 0; row < samples.length; row++) shown = Math.min(shown, samples.event[row]);
  const only = isOneEvent ? { event: shown } : {};
  for (const sample of finish(selectSamples(profile, only))) {
    const stackRow = samples.stack[sample] + 1;
    const row = (samples.event[sample] * width + namers[sample]) * (stacks.length + 1) + stackRow;
    sumOfRows.set(row, (sumOfRows.get(row) ?? 0) + weights.values[sample]);
  }
  const sums = new Map<string, number>();
  for (const [row, weight] of sumOfRows) {
    const stack = (row % (stacks.length + 1)) - 1;
    const naming = Math.floor(row / (stacks.length + 1));
    const namer = naming % width;
    const comm = comms === 'thread' ? threads[namer].comm : strings[namer];
    const event = isOneEvent ? '' : printable(events[Math.floor(naming / width)].name);
    const path = stack === NONE ? '' : paths[stack];
    // Half of a surrogate pair does not survive UTF-8, which files are written in.
    const key = Buffer.from(`${event} ${escapeComm(comm)};${path}`).toString();
    sums.set(key, (sums.get(key) ?? 0) + weight);
  }
  // Some formats leave out what weighs nothing.
  return new Map([...sums].filter(([, weight]) => weight !== 0));
}

function checkSameText(name: string, first: string, second: string): void {
  if (second === first) return;
  let at = 0;
  while (first[at] === second[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 40));
  throw new Error(
    `${name}: the second export differs at ${at}:\n` +
      `first:  ${around(first)}\nsecond: ${around(second)}`,
  );
}

/** `comm;…;leaf weight` lines, one sample each. */
export function parseFolded(text: string): Parsed {
  const made = new ParsedProfile();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const match = /^(.*) (\d+(?:\.\d+)?)$/.exec(line);
    if (match === null) throw new Error(`not a folded line: ${JSON.stringify(line)}`);
    const [comm = '', ...names] = match[1].split(';');
    const stack = made.stack(names.map((name) => made.frame(name, null)));
    made.sample(stack, made.thread(comm, 1), 'event', Number(match[2]));
  }
  return made.finish('samples');
}

/** As `perf-ts report out.folded` reads them. */
function parseByImporter(text: string): Parsed {
  const { profile, diagnostics } = importFolded(memorySource(new TextEncoder().encode(text)));
  for (const { code, detail } of diagnostics.entries()) throw new Error(`${code}: ${detail}`);
  const values = new Float64Array(profile.samples.periodEvents);
  return { profile, weights: { kind: 'period', unit: 'events', values } };
}

type SpeedscopeFile = {
  readonly shared: {
    readonly frames: readonly { name: string; file?: string; line?: number; col?: number }[];
  };
  readonly profiles: readonly {
    readonly name: string;
    readonly unit: string;
    readonly samples: readonly (readonly number[])[];
    readonly weights: readonly number[];
  }[];
  readonly name: string;
};

/**
 * Profiles named `comm (tid N) event, unit`, as `writeSpeedscope` names them. Every frame is a
 * function of its own and every profile a thread: names alone can't tell that two are the same.
 */
export function parseSpeedscope(text: string): Parsed {
  const file = JSON.parse(text) as SpeedscopeFile;
  const made = new ParsedProfile();
  const frames = file.shared.frames.map(({ name, file = null, line, col }) =>
    made.ownFrame(name, file, line === undefined || col === undefined ? null : { line, col }),
  );
  const titleStart = file.name.lastIndexOf('; weight: ');
  const title = file.name.slice(titleStart + '; weight: '.length);
  const units = title.replace(/ \(.*$/, '').split(' or ') as Weights['unit'][];
  const sections = file.profiles.map((profile) => {
    const match = /^(.*) \(tid (-?\d+)\) (.*), (\w+)$/s.exec(profile.name);
    if (match === null) throw new Error(`not the name of a thread: ${profile.name}`);
    const [, comm = '', tid = '', event = '', unit = ''] = match;
    return { ...profile, comm, tid: Number(tid), event, unit: unit as Weights['unit'] };
  });
  const names = titleStart > 0 ? file.name.slice(0, titleStart).split(', ') : [];
  for (const [index, name] of names.entries()) {
    // The unit of an event without samples is one that the title has and no other event explains.
    const known = sections.find(({ event }) => event === name)?.unit;
    const unexplained = units.find((unit) => !sections.some((section) => section.unit === unit));
    made.event(name, known ?? (index === 0 ? units[0] : unexplained) ?? units[0]);
  }
  for (const { comm, tid, event, unit, samples, weights } of sections) {
    const thread = made.ownThread(comm, tid);
    for (const [index, sample] of samples.entries()) {
      const stack = made.stack(sample.map((frame) => frames[frame]));
      made.sample(stack, thread, event, weights[index], unit);
    }
  }
  const isPeriod = title.includes('period that each');
  const kind = title === 'samples' ? 'samples' : isPeriod ? 'period' : 'events';
  return made.finish(kind, sections.at(-1)?.unit ?? units[0]);
}

/** The place at which a function of JavaScript begins. */
type Place = { readonly line: number; readonly col: number };

/** No export lets a control character through. */
const PLACEHOLDER = '\0function ';

/** Collects what a parser finds. Every name is a function with an address of its own. */
class ParsedProfile {
  readonly #builder = new ProfileBuilder();
  readonly #dsos: Dso[] = [];
  readonly #threads: ProfileThread[] = [];
  readonly #events: ProfileEvent[] = [];
  readonly #weights: number[] = [];
  /** Names of the functions that `ownFrame` made, and where those of scripts begin. */
  readonly #ownNames: string[] = [];
  readonly #ownPlaces: (Place | null)[] = [];

  frame(name: string, file: string | null): number {
    const dso = file === null ? NONE : this.#dso(file);
    const func = this.#builder.funcs.intern(this.#builder.strings.intern(name), dso);
    const frame = this.#builder.frames.intern(dso, func);
    this.#builder.frames.setFunc(frame, func);
    return frame;
  }

  /** A function of its own, whatever others are called. */
  ownFrame(name: string, file: string | null, place: Place | null = null): number {
    if (file !== null) this.#builder.strings.intern(file);
    this.#ownPlaces.push(place);
    const dso = file === null ? NONE : this.#dso(file);
    // Functions of equal names are one to the builder: until `finish` it knows this one by number.
    const number = this.#ownNames.push(name) - 1;
    const frame = this.#builder.frames.intern(dso, number);
    const placeholder = this.#builder.strings.intern(PLACEHOLDER + number);
    this.#builder.frames.setFunc(frame, this.#builder.funcs.intern(placeholder, dso));
    return frame;
  }

  #dso(path: string): number {
    const known = this.#dsos.findIndex((dso) => dso.path === path);
    if (known !== NONE) return known;
    return this.#dsos.push({ kind: 'user', name: path, path, buildId: null }) - 1;
  }

  stack(frames: readonly number[]): number {
    let stack: number = NONE;
    for (const frame of frames) stack = this.#builder.stacks.intern(stack, frame);
    return stack;
  }

  thread(comm: string, tid: number): number {
    const known = this.#threads.findIndex((thread) => thread.comm === comm && thread.tid === tid);
    return known !== NONE ? known : this.ownThread(comm, tid);
  }

  /** A thread of its own, whatever others are called. */
  ownThread(comm: string, tid: number): number {
    return this.#threads.push({ pid: tid, tid, generation: 0, comm }) - 1;
  }

  event(name: string, unit: Weights['unit'] = 'events'): number {
    const known = this.#events.findIndex((event) => event.name === name);
    if (known !== NONE) return known;
    return (
      this.#events.push({
        name,
        type: 1,
        mode: 'period',
        frequencyHz: null,
        fixedPeriod: 1,
        unit: unit === 'nanoseconds' ? unit : 'events',
      }) - 1
    );
  }

  sample(
    stack: number,
    thread: number,
    eventName: string,
    weight: number,
    unit: Weights['unit'] = 'events',
  ): void {
    const event = this.event(eventName, unit);
    const comm = this.#builder.strings.intern(this.#threads[thread].comm);
    const timeNs = this.#weights.length;
    this.#builder.samples.add(stack, thread, comm, event, NONE, NONE, timeNs, 1, Number.NaN);
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
    const numberOf = (text: string): number =>
      text.startsWith(PLACEHOLDER) ? Number(text.slice(PLACEHOLDER.length)) : NONE;
    const { funcs } = profile;
    for (let func = 0; func < funcs.length; func++) {
      const place = this.#ownPlaces[numberOf(profile.strings[funcs.name[func]])] ?? null;
      if (place === null) continue;
      (funcs.isScript as Uint8Array)[func] = 1;
      (funcs.file as Int32Array)[func] = profile.strings.indexOf(this.#dsos[funcs.dso[func]].path);
      (funcs.line as Int32Array)[func] = place.line;
      (funcs.column as Int32Array)[func] = place.col;
    }
    const strings = profile.strings.map((text) => this.#ownNames[numberOf(text)] ?? text);
    const values = Float64Array.from(this.#weights);
    return { profile: { ...profile, strings }, weights: { kind, unit, values } };
  }
}
