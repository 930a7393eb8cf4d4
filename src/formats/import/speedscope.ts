import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { PerfDataError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { countedUnit, type ImportedProfile, ImportedProfileBuilder } from './imported-profile.ts';
import { asArray, asNumber, asObject, asText, parseJson } from './json-text.ts';
import { SpeedscopeFrames } from './speedscope-frames.ts';

/**
 * A file of speedscope's own format (https://www.speedscope.app/file-format-schema.json):
 *
 *   { "shared": { "frames": [{ "name", "file", "line", "col" }] },
 *     "profiles": [{ "type": "sampled", "name", "unit", "startValue", "endValue",
 *                    "samples": [[frame, …]], "weights": [n] },            outermost frame first
 *                  { "type": "evented", …, "events": [{ "type": "O" | "C", "frame", "at" }] }] }
 *
 * Each of its profiles is a thread. A sample weighs what stands in `weights`; of an evented profile, each
 * stretch with the same open frames is a sample that weighs its length. Samples and events that contradict the
 * file are left out: a bad sample alone, behind a bad event the rest of its profile. They are counted in the notes.
 * Throws `PerfDataError` where nothing is left.
 */
export function importSpeedscope(
  source: ByteSource,
  builder = new ImportedProfileBuilder(),
): ImportedProfile {
  const file = asObject(parseJson(source, builder.limits.checkJson));
  const frames = asObject(file?.shared)?.frames;
  if (file === null || !Array.isArray(frames) || !Array.isArray(file.profiles)) {
    throw malformed('it has no "profiles" with "shared" frames of speedscope');
  }
  return new SpeedscopeReader(file, new SpeedscopeFrames(frames, builder), builder).read();
}

type Json = Readonly<Record<string, unknown>>;

/** Nanoseconds of a unit of time; the other units are events. */
const NANOSECONDS: ReadonlyMap<string, number> = new Map([
  ['nanoseconds', 1],
  ['microseconds', 1e3],
  ['milliseconds', 1e6],
  ['seconds', 1e9],
]);
const UNNAMED_EVENT = 'event';
/** The event of each other unit. */
const EVENTS: ReadonlyMap<string, string> = new Map([
  ['none', UNNAMED_EVENT],
  ['bytes', 'bytes'],
]);
const TIME_EVENT = 'time';
/** Characters of the file's title. */
const TITLE_SHOWN = 200;
/** Times are 64 bits wide, weights no wider: some centuries. */
const MOST = 2 ** 63;

/** The name that `writeSpeedscope` gives a thread's profile. */
const OWN_NAME = /^(?<comm>.*) \(tid (?<tid>-?\d{1,10})\) (?<event>.*), (?<unit>\w+)$/s;

/** A profile of the file, and what its samples have in common. */
type Section = {
  /** Begins the sentences on what is wrong with it. */
  readonly title: string;
  readonly comm: string;
  readonly tid: number;
  readonly event: number;
  /** Nanoseconds or events that a weight of 1 stands for. */
  readonly scale: number;
  /** The x axis is time. */
  readonly isTimed: boolean;
};

class SpeedscopeReader {
  readonly #file: Json;
  readonly #frames: SpeedscopeFrames;
  readonly #builder: ImportedProfileBuilder;
  readonly #isOwn: boolean;
  /** How often each name was met. */
  readonly #comms = new Map<string, number>();
  #evented = 0;
  #timed = 0;
  #added = 0;
  #leftOut = 0;
  #firstLeftOut: string | null = null;

  constructor(file: Json, frames: SpeedscopeFrames, builder: ImportedProfileBuilder) {
    this.#file = file;
    this.#frames = frames;
    this.#builder = builder;
    this.#isOwn = /^perf-ts\b/.test(asText(file.exporter));
  }

  read(): ImportedProfile {
    const profiles = asArray(this.#file.profiles);
    for (const [index, value] of profiles.entries()) {
      const title = `its profile ${index + 1} of ${profiles.length}`;
      const profile = asObject(value);
      if (profile === null) {
        this.#leaveOut(`${title} is no object`);
        continue;
      }
      if (isEmptyOfUnknownUnit(profile)) continue;
      const section = this.#section(profile, title, index);
      if (section.isTimed) this.#timed++;
      if (profile.type === 'sampled') this.#addSamples(profile, section);
      else if (profile.type === 'evented') this.#addEvents(profile, section);
      else this.#leaveOut(`${title} is neither sampled nor evented`);
    }
    if (this.#added === 0 && this.#firstLeftOut !== null) throw malformed(this.#firstLeftOut);
    const hasTimes = this.#timed > 0 && this.#timed === profiles.length;
    return this.#builder.finish('speedscope', {
      notes: this.#notes(hasTimes),
      ...(hasTimes && { clock: 'monotonic' }),
    });
  }

  /** A sample, or the rest of a profile, that contradicts the file. */
  #leaveOut(what: string): void {
    this.#leftOut++;
    this.#firstLeftOut ??= what;
  }

  /** Our own have comm, tid and event in their names, and weights along their axis. */
  #section(profile: Json, title: string, index: number): Section {
    const unit = asText(profile.unit);
    const scale = NANOSECONDS.get(unit);
    // A unit that speedscope has not is the name of what is counted.
    const counted = EVENTS.get(unit) ?? (printable(unit) || UNNAMED_EVENT);
    const usualEvent = scale === undefined ? counted : TIME_EVENT;
    const name = asText(profile.name);
    const own = this.#isOwn ? OWN_NAME.exec(name)?.groups : undefined;
    const tid = Number(own?.tid ?? NONE);
    const isTime = scale !== undefined;
    return {
      title,
      comm: own === undefined ? this.#ownComm(name || `profile ${index + 1}`) : own.comm,
      tid: Math.abs(tid) < 2 ** 31 ? tid : NONE,
      event: this.#builder.event(
        own?.event ?? usualEvent,
        isTime ? 'nanoseconds' : countedUnit(own?.unit ?? unit),
      ),
      scale: scale ?? 1,
      isTimed: isTime && own === undefined,
    };
  }

  /** Profiles of one name are several threads. */
  #ownComm(name: string): string {
    const number = (this.#comms.get(name) ?? 0) + 1;
    this.#comms.set(name, number);
    return number === 1 ? name : this.#ownComm(`${name} (${number})`);
  }

  #addSamples(profile: Json, section: Section): void {
    const { title } = section;
    const samples = asArray(profile.samples);
    const weights = asArray(profile.weights);
    const length = Math.min(samples.length, weights.length);
    if (samples.length !== weights.length) {
      this.#leaveOut(`${title} has ${samples.length} samples and ${weights.length} weights`);
    }
    let at = asNumber(profile.startValue, 0);
    for (let i = 0; i < length; i++) {
      const weight = asNumber(weights[i], Number.NaN);
      if (!(weight >= 0)) {
        this.#leaveOut(`${title} has a weight that is no number from 0 up`);
        continue;
      }
      at += weight;
      const stack = this.#frames.stackOf(samples[i]);
      if (stack === null) this.#leaveOut(`${title} has a sample of frames that are not there`);
      else this.#addSample(section, stack, weight, at);
    }
  }

  #addEvents(profile: Json, section: Section): void {
    this.#evented++;
    const { title } = section;
    /** Frames that are open, the outermost first, and the stack with each. */
    const open: number[] = [];
    const stacks: number[] = [];
    let last = Number.NEGATIVE_INFINITY;
    for (const value of asArray(profile.events)) {
      const event = asObject(value);
      const at = asNumber(event?.at, Number.NaN);
      if (!(at >= last)) {
        this.#leaveOut(`${title} has an event that is earlier than the one before`);
        return;
      }
      const top = stacks.at(-1);
      if (top !== undefined && at > last) this.#addSample(section, top, at - last, at);
      last = at;
      const problem = this.#openOrClose(event, open, stacks);
      if (problem !== null) {
        this.#leaveOut(`${title} ${problem}`);
        return;
      }
    }
    if (open.length > 0)
      this.#leaveOut(`${title} opens ${open.length} frames that it never closes`);
  }

  /** Takes one event of an evented profile; what is wrong with it, null where nothing is. */
  #openOrClose(event: Json | null, open: number[], stacks: number[]): string | null {
    const frame = asNumber(event?.frame, NONE);
    if (event?.type === 'O') {
      const stack = this.#frames.extend(stacks.at(-1) ?? NONE, frame);
      if (stack === null) return 'opens a frame that is not there';
      open.push(frame);
      stacks.push(stack);
      return null;
    }
    if (event?.type !== 'C') return 'has an event that neither opens nor closes a frame';
    if (open.at(-1) !== frame) return 'closes a frame that is not the innermost';
    open.pop();
    stacks.pop();
    return null;
  }

  /** A sample stands at the end of what it weighs, as in a recording. */
  #addSample(section: Section, stack: number, weight: number, at: number): void {
    const { title, comm, tid, event, scale, isTimed } = section;
    const period = weight * scale;
    const ns = at * scale;
    if (!(period < MOST && Math.abs(ns) < MOST)) {
      this.#leaveOut(`${title} has a value that is too large for what is counted`);
      return;
    }
    this.#added++;
    const time = isTimed ? BigInt(Math.round(ns)) : null;
    this.#builder.addSample({ comm, pid: NONE, tid, cpu: NONE, time, event, period }, stack);
  }

  #notes(hasTimes: boolean): string[] {
    const title = printable(asText(this.#file.name).slice(0, TITLE_SHOWN));
    return [
      this.#isOwn
        ? 'read from a speedscope file of perf-ts: times, CPUs and processes are not in it'
        : 'read from a speedscope file: each of its profiles is a thread; losses and CPUs are not known',
      ...(title === '' ? [] : [`its title: ${title}`]),
      ...(this.#evented === 0
        ? []
        : [
            'calls with a begin and an end: each stretch of the same calls is a sample with its length',
          ]),
      ...(this.#firstLeftOut === null
        ? []
        : [
            `${formatCount(this.#leftOut)} ${this.#leftOut === 1 ? 'part that contradicts the file was' : 'parts that contradict the file were'} left out, first: ${this.#firstLeftOut}`,
          ]),
      ...(hasTimes
        ? ["times are those of the file's axis, on which weights follow each other"]
        : []),
      'the uncertainty of shares is unknown: an item may sum samples, or be none',
    ];
  }
}

/** Nothing of it is shown, so its unit need not be an event. */
function isEmptyOfUnknownUnit({ unit, samples, events }: Json): boolean {
  const name = asText(unit);
  const isKnown = NANOSECONDS.has(name) || EVENTS.has(name);
  return !isKnown && asArray(samples).length + asArray(events).length === 0;
}

function malformed(what: string): PerfDataError {
  return new PerfDataError('speedscope-malformed', what);
}
