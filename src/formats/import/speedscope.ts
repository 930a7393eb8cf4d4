import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { PerfDataError } from '../../base/errors.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import { printable } from '../../base/printable.ts';
import type { ProfileEvent } from '../../profile/types.ts';
import {
  type ImportedProfile,
  ImportedProfileBuilder,
  type ImportLimits,
  NO_LIMITS,
  type ShowName,
} from './imported-profile.ts';
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
 * stretch with the same open frames is a sample that weighs its length. Throws `PerfDataError` for a file
 * that contradicts itself: nothing of it could be believed.
 */
export function importSpeedscope(
  source: ByteSource,
  showName: ShowName = (name) => name,
  limits: ImportLimits = NO_LIMITS,
): ImportedProfile {
  const file = asObject(parseJson(source, limits.checkJson));
  const frames = asObject(file?.shared)?.frames;
  if (file === null || !Array.isArray(frames) || !Array.isArray(file.profiles)) {
    throw malformed('it has no "profiles" with "shared" frames of speedscope');
  }
  const builder = new ImportedProfileBuilder(showName, limits);
  return new SpeedscopeReader(file, new SpeedscopeFrames(frames, builder), builder, limits).read();
}

type Json = Readonly<Record<string, unknown>>;

/** Nanoseconds of a unit of time; the other units are events. */
const NANOSECONDS: ReadonlyMap<string, number> = new Map([
  ['nanoseconds', 1],
  ['microseconds', 1e3],
  ['milliseconds', 1e6],
  ['seconds', 1e9],
]);
/** The event of each other unit. */
const EVENTS: ReadonlyMap<string, string> = new Map([
  ['none', 'event'],
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
  readonly #limits: ImportLimits;
  readonly #isOwn: boolean;
  readonly #events: ProfileEvent[] = [];
  /** How often each name was met. */
  readonly #comms = new Map<string, number>();
  /** By unit and name. */
  readonly #eventOf = new Map<string, number>();
  #evented = 0;
  #timed = 0;

  constructor(
    file: Json,
    frames: SpeedscopeFrames,
    builder: ImportedProfileBuilder,
    limits: ImportLimits,
  ) {
    this.#file = file;
    this.#frames = frames;
    this.#builder = builder;
    this.#limits = limits;
    this.#isOwn = /^perf-ts\b/.test(asText(file.exporter));
  }

  read(): ImportedProfile {
    const profiles = asArray(this.#file.profiles);
    for (const [index, value] of profiles.entries()) {
      const title = `its profile ${index + 1} of ${profiles.length}`;
      const profile = asObject(value);
      if (profile === null) throw malformed(`${title} is no object`);
      const section = this.#section(profile, title, index);
      if (section.isTimed) this.#timed++;
      if (profile.type === 'sampled') this.#addSamples(profile, section);
      else if (profile.type === 'evented') this.#addEvents(profile, section);
      else throw malformed(`${title} is neither sampled nor evented`);
    }
    const hasTimes = this.#timed > 0 && this.#timed === profiles.length;
    return this.#builder.finish('speedscope', this.#events, {
      notes: this.#notes(hasTimes),
      ...(hasTimes && { clock: 'monotonic' }),
    });
  }

  /** Our own have comm, tid and event in their names, and weights along their axis. */
  #section(profile: Json, title: string, index: number): Section {
    const unit = asText(profile.unit);
    const scale = NANOSECONDS.get(unit);
    const usualEvent = scale === undefined ? EVENTS.get(unit) : TIME_EVENT;
    if (usualEvent === undefined) throw malformed(`${title} has a unit that speedscope has not`);
    const name = asText(profile.name);
    const own = this.#isOwn ? OWN_NAME.exec(name)?.groups : undefined;
    const tid = Number(own?.tid ?? NONE);
    const isTime = scale !== undefined;
    return {
      title,
      comm: own === undefined ? this.#ownComm(name || `profile ${index + 1}`) : own.comm,
      tid: Math.abs(tid) < 2 ** 31 ? tid : NONE,
      event: this.#event(own?.event ?? usualEvent, isTime),
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

  #event(name: string, isTime: boolean): number {
    const unit = isTime ? 'nanoseconds' : 'events';
    const key = `${unit} ${name}`;
    const known = this.#eventOf.get(key);
    if (known !== undefined) return known;
    this.#limits.checkEvents(this.#events.length + 1);
    const event: ProfileEvent = {
      name,
      type: PERF_TYPE.SOFTWARE,
      mode: isTime ? 'clock' : 'period',
      frequencyHz: null,
      fixedPeriod: null,
      unit,
    };
    const row = this.#events.push(event) - 1;
    this.#eventOf.set(key, row);
    return row;
  }

  #addSamples(profile: Json, section: Section): void {
    const { title } = section;
    const samples = asArray(profile.samples);
    const weights = asArray(profile.weights);
    if (samples.length !== weights.length) {
      throw malformed(`${title} has ${samples.length} samples and ${weights.length} weights`);
    }
    let at = asNumber(profile.startValue, 0);
    for (let i = 0; i < samples.length; i++) {
      const weight = asNumber(weights[i], Number.NaN);
      if (!(weight >= 0)) throw malformed(`${title} has a weight that is no number from 0 up`);
      const stack = this.#frames.stackOf(samples[i]);
      if (stack === null) throw malformed(`${title} has a sample of frames that are not there`);
      at += weight;
      this.#addSample(section, stack, weight, at);
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
      if (!(at >= last))
        throw malformed(`${title} has an event that is earlier than the one before`);
      const top = stacks.at(-1);
      if (top !== undefined && at > last) this.#addSample(section, top, at - last, at);
      last = at;
      const frame = asNumber(event?.frame, NONE);
      if (event?.type === 'O') {
        const stack = this.#frames.extend(top ?? NONE, frame);
        if (stack === null) throw malformed(`${title} opens a frame that is not there`);
        open.push(frame);
        stacks.push(stack);
      } else if (event?.type === 'C') {
        if (open.pop() !== frame)
          throw malformed(`${title} closes a frame that is not the innermost`);
        stacks.pop();
      } else {
        throw malformed(`${title} has an event that neither opens nor closes a frame`);
      }
    }
    if (open.length > 0)
      throw malformed(`${title} opens ${open.length} frames that it never closes`);
  }

  /** A sample stands at the end of what it weighs, as in a recording. */
  #addSample(section: Section, stack: number, weight: number, at: number): void {
    const { title, comm, tid, event, scale, isTimed } = section;
    const period = weight * scale;
    const ns = at * scale;
    if (!(period < MOST && Math.abs(ns) < MOST)) {
      throw malformed(`${title} has a value that is too large for what is counted`);
    }
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
      ...(hasTimes
        ? ["times are those of the file's axis, on which weights follow each other"]
        : []),
      'the uncertainty of shares is unknown: an item may sum samples, or be none',
    ];
  }
}

function malformed(what: string): PerfDataError {
  return new PerfDataError('speedscope-malformed', what);
}
