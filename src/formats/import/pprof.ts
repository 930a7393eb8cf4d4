import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { PerfDataError } from '../../base/errors.ts';
import { getOrMake } from '../../base/group-by.ts';
import { formatCount, formatNanos } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { ProfileEvent } from '../../profile/types.ts';
import { SCRIPTS, scriptFunction } from './call-frame.ts';
import {
  countedUnit,
  type ImportedProfile,
  ImportedProfileBuilder,
  importedEvent,
} from './imported-profile.ts';
import {
  type PprofMessage,
  type PprofPlace,
  type PprofSample,
  readPprofMessage,
  readPprofSample,
} from './pprof-message.ts';
import { SCRIPT } from './speedscope-frames.ts';

/**
 * A file of pprof (unpacked). Each of its sample types is an event, the default one first; a sample is one of
 * every event that it has a value above 0 of, and weighs that. The label that names a thread becomes its
 * comm; of samples without one all labels do, `key=value`, so that they can be sorted by. A bad sample
 * is left out, counted and told.
 */
export function importPprof(
  source: ByteSource,
  builder = new ImportedProfileBuilder(),
): ImportedProfile {
  // Views of the bytes and a number for each field are kept.
  builder.limits.checkJson(MEMORY_FACTOR * source.size);
  const message = readPprofMessage(source.read(0, source.size));
  if (message.types.length === 0) {
    throw new PerfDataError('pprof-malformed', 'it has no sample type of pprof');
  }
  return new PprofReader(message, builder).read();
}

const MEMORY_FACTOR = 16;

/** Nanoseconds in the units of time that pprof names. */
const TIME_UNITS: ReadonlyMap<string, number> = new Map([
  ['nanoseconds', 1],
  ['ns', 1],
  ['microseconds', 1e3],
  ['us', 1e3],
  ['milliseconds', 1e6],
  ['ms', 1e6],
  ['seconds', 1e9],
  ['s', 1e9],
]);
/** A value of 64 bits from here on is below zero. */
const SIGN = 2 ** 63;
const THREAD_KEYS = ['comm', 'thread', 'thread_name', 'thread name', 'threadname'];
const TID_KEYS = ['tid', 'thread_id', 'thread id'];
/** Comments of a file that are shown. */
const MOST_COMMENTS = 3;
const COMMENT_SHOWN = 200;

class PprofReader {
  readonly #message: PprofMessage;
  readonly #builder: ImportedProfileBuilder;
  readonly #events: readonly ProfileEvent[];
  /** The row of `#events` and the size of a unit, by column of values. */
  readonly #columns: readonly { readonly event: number; readonly scale: number }[];
  /** Frames of each location by its id, the outermost first; null: code without a function. */
  readonly #frames = new Map<number, readonly number[] | null>();
  readonly #program: string;
  #withoutPlace = 0;
  #belowZero = 0;

  constructor(message: PprofMessage, builder: ImportedProfileBuilder) {
    const { types, defaultType, mappings } = message;
    builder.limits.checkEvents(types.length);
    const order = types.map((_, column) => column);
    const first = types.findIndex(({ type }) => type === defaultType);
    // pprof shows the last type where none is named.
    const shown = first < 0 ? types.length - 1 : first;
    order.splice(shown, 1);
    order.unshift(shown);
    this.#message = message;
    this.#builder = builder;
    this.#events = order.map((column) => {
      const { type, unit } = types[column];
      const isTime = TIME_UNITS.has(unit);
      return importedEvent(
        type === '' ? 'event' : type,
        isTime ? 'nanoseconds' : countedUnit(unit),
      );
    });
    this.#columns = types.map(({ unit }, column) => ({
      event: order.indexOf(column),
      scale: TIME_UNITS.get(unit) ?? 1,
    }));
    const [program = ''] = mappings.values();
    this.#program = program.slice(program.lastIndexOf('/') + 1) || 'pprof';
  }

  read(): ImportedProfile {
    const { samples, text } = this.#message;
    for (const [index, bytes] of samples.entries()) {
      const sample = readPprofSample(bytes, text);
      if (sample === null || sample.values.length !== this.#columns.length) {
        this.#builder.skipLine(`sample ${index + 1}`);
      } else this.#add(sample);
    }
    return this.#builder.finish('pprof', { notes: this.#notes() }, this.#events);
  }

  #add(sample: PprofSample): void {
    const stack = this.#stackOf(sample.places);
    const thread = this.#threadOf(sample);
    for (const [column, value] of sample.values.entries()) {
      if (value === 0) continue;
      if (value >= SIGN) {
        this.#belowZero++;
        continue;
      }
      const { event, scale } = this.#columns[column];
      this.#builder.addSample(
        { ...thread, cpu: NONE, time: null, event, period: value * scale },
        stack,
      );
    }
  }

  /** Places are listed from the innermost one. One that the file has not is left out of the stack. */
  #stackOf(places: readonly number[]): number {
    let stack: number = NONE;
    for (let i = places.length - 1; i >= 0; i--) {
      const id = places[i];
      const place = this.#message.locations.get(id);
      if (place === undefined) {
        this.#withoutPlace++;
        continue;
      }
      const frames = this.#framesOf(id, place);
      if (frames === null) stack = this.#withoutFunction(stack, place);
      else for (const frame of frames) stack = this.#builder.extend(stack, frame);
    }
    return stack;
  }

  #withoutFunction(stack: number, { mapping, address }: PprofPlace): number {
    const dso = this.#message.mappings.get(mapping) || null;
    return this.#builder.stack(stack, '[unknown]', dso, address > 0 ? address : null, 0);
  }

  #framesOf(id: number, place: PprofPlace): readonly number[] | null {
    return getOrMake(this.#frames, id, () =>
      place.lines.length === 0 ? null : this.#makeFrames(place),
    );
  }

  /** The last line of a place is the function, those before it are inlined into it. */
  #makeFrames({ mapping, lines }: PprofPlace): number[] {
    const dso = this.#message.mappings.get(mapping) || null;
    return lines.toReversed().map(({ func, line, column }, inlineDepth) => {
      const { name = '', file = '', startLine = 0 } = this.#message.functions.get(func) ?? {};
      const named = name === '' ? '[unknown]' : name;
      if (SCRIPT.test(file)) {
        const script = scriptFunction(named, file, startLine || line, 0);
        return this.#builder.frameOnLine(script, SCRIPTS, 0, 0, { inlineDepth });
      }
      const shown = dso ?? (file === '' ? null : file);
      return this.#builder.frameOnLine(named, shown, line, column, { source: file, inlineDepth });
    });
  }

  #threadOf({ labels }: PprofSample): { comm: string; pid: number; tid: number } {
    const labelOf = (keys: readonly string[]) => labels.find(({ key }) => keys.includes(key))?.text;
    const comm = labelOf(THREAD_KEYS) ?? labels.map(({ key, text }) => `${key}=${text}`).join(' ');
    return {
      comm: comm === '' ? this.#program : comm,
      pid: numberOf(labelOf(['pid'])),
      tid: numberOf(labelOf(TID_KEYS)),
    };
  }

  #notes(): string[] {
    const { types, comments, durationNs, isCut } = this.#message;
    const named = types.map(({ type, unit }) => `${type} in ${unit === '' ? 'counts' : unit}`);
    return [
      `read from a pprof file: ${printable(named.join(', '))}; times, CPUs and losses are not known`,
      ...(durationNs > 0 ? [`it is of ${formatNanos(durationNs)}`] : []),
      ...(isCut ? ['the file is damaged or cut: what lies before that is read'] : []),
      ...countNote(this.#belowZero, 'values below zero, as of a difference, were left out'),
      ...countNote(this.#withoutPlace, 'frames at places that the file has not were left out'),
      ...comments
        .slice(0, MOST_COMMENTS)
        .map((comment) => `its comment: ${printable(comment.slice(0, COMMENT_SHOWN))}`),
      'the uncertainty of shares is unknown: an item sums samples of unknown times',
    ];
  }
}

function countNote(count: number, what: string): string[] {
  return count === 0 ? [] : [`${formatCount(count)} ${what}`];
}

function numberOf(text: string | undefined): number {
  const number = Number(text ?? NONE);
  return Number.isInteger(number) && number >= 0 && number < 2 ** 31 ? number : NONE;
}
