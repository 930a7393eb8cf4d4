import { NONE } from '../../base/brand.ts';
import { lostSamplesText } from '../../base/lost-samples.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import {
  groupByBoth,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import { dsoPlace } from '../../profile/dso-place.ts';
import { funcLabel } from '../../profile/func-label.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import {
  type EventProvenance,
  type ExportProvenance,
  printableProvenance,
} from './export-provenance.ts';
import { TextBuffer } from './text-buffer.ts';
import { weightTitle, withUnitOf } from './weight-title.ts';

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';

export type SpeedscopeOptions = {
  readonly select?: SampleSelection;
  /** Program and version that made the file. */
  readonly exporter?: string;
  /** The origin of the weights; an extra key that readers of the format ignore. */
  readonly provenance?: ExportProvenance;
};

/**
 * Writes speedscope's file format (the schema is named in the file):
 *
 *   { "$schema", "exporter", "name", "activeProfileIndex", "provenance",
 *     "shared": { "frames": [{ "name", "file" }] },              file = path of the DSO; of a function of
 *                                                                JavaScript its script, with "line" and "col"
 *     "profiles": [{ "type": "sampled", "name", "unit", "startValue": 0, "endValue",
 *                    "samples": [[frame, …]], "weights": [n] }] }   outermost frame first
 *
 * One profile per thread and event, samples in time order; the heaviest one is opened first. The
 * x axis is weight, not time. Units are `nanoseconds` or `none`; names give the unit of `none`.
 */
export function writeSpeedscope(
  profile: Profile,
  weights: Weights,
  options: SpeedscopeOptions,
  write: (text: string) => void,
): void {
  const buffer = new TextBuffer(write);
  const sections = splitByThread(profile, weights, finish(selectSamples(profile, options.select)));
  let heaviest = 0;
  for (const [index, section] of sections.entries()) {
    if (section.weight > sections[heaviest].weight) heaviest = index;
  }

  buffer.add(
    `{"$schema":${JSON.stringify(SCHEMA)},` +
      `"exporter":${JSON.stringify(options.exporter ?? 'perf-ts')},` +
      `"name":${JSON.stringify(fileName(profile, weights, options.provenance))},` +
      (options.provenance === undefined
        ? ''
        : `"provenance":${JSON.stringify(printableProvenance(options.provenance))},`) +
      (sections.length > 0 ? `"activeProfileIndex":${heaviest},` : '') +
      '"shared":{"frames":[',
  );
  for (let func = 0; func < profile.funcs.length; func++) {
    buffer.add((func === 0 ? '\n' : ',\n') + JSON.stringify(describeFrame(profile, func)));
  }
  buffer.add(']},\n"profiles":[');
  const stackTexts = new StackTexts(profile);
  for (const [index, section] of sections.entries()) {
    if (index > 0) buffer.add(',');
    writeSection(profile, weights, section, stackTexts, buffer);
  }
  buffer.add(']}\n');
  buffer.flush();
}

/** A row of `shared.frames`. Readers know whose code a function of JavaScript is by the path of its script. */
function describeFrame(profile: Profile, func: number) {
  const { funcs, strings, dsos } = profile;
  const name = printable(funcLabel(profile, func));
  const [file, line, col] = [funcs.file[func], funcs.line[func], funcs.column[func]];
  if (funcs.isScript[func] === 1 && file !== NONE && line > 0 && col > 0) {
    return { name, file: printable(strings[file]), line, col };
  }
  const dso = dsos[funcs.dso[func]];
  return dso === undefined ? { name } : { name, file: printable(dsoPlace(dso)) };
}

/** The samples of one thread and event. */
type Section = {
  readonly name: string;
  readonly unit: Weights['unit'];
  readonly samples: Int32Array;
  readonly weight: number;
};

function splitByThread(profile: Profile, weights: Weights, samples: Int32Array): Section[] {
  const { thread, event } = profile.samples;
  const keys = [
    [event, profile.events.length],
    [thread, profile.threads.length],
  ] as const;
  return finish(groupByBoth(samples, ...keys)).map((rows) => {
    const described = profile.events[event[rows[0]]];
    const { comm, tid } = profile.threads[thread[rows[0]]];
    const { unit } = withUnitOf(described, weights);
    let weight = 0;
    for (let i = 0; i < rows.length; i++) {
      weight += weights.values[rows[i]] + lostBefore(weights, rows[i]);
    }
    const name = printable(`${comm} (tid ${tid}) ${described.name}, ${unit}`);
    return { name, unit, samples: rows, weight };
  });
}

/** The title that speedscope shows: what was recorded, what it weighs, and what is missing. */
function fileName(profile: Profile, weights: Weights, provenance?: ExportProvenance): string {
  const events = profile.events.map((event) => event.name).join(', ');
  const units = new Set(profile.events.map((event) => withUnitOf(event, weights).unit));
  const unit = units.size === 0 ? weights.unit : [...units].join(' or ');
  const title = `${events}; weight: ${weightTitle({ ...weights, unit })}`;
  return printable([title, ...(provenance?.events ?? []).flatMap(warningsOf)].join('; '));
}

function warningsOf({
  event,
  insteadOf,
  isGuess,
  samples,
  lostSamples,
}: EventProvenance): string[] {
  return [
    ...(insteadOf === null ? [] : [`${event} instead of ${insteadOf}`]),
    ...(isGuess ? [`${event}: weights are a guess`] : []),
    ...(lostSamples > 0
      ? [`${event}: ${lostSamplesText(lostSamples, lostSamples + samples)}`]
      : []),
  ];
}

/** Units of ours that speedscope has too. */
const WRITTEN_UNITS: ReadonlySet<string> = new Set(['nanoseconds', 'bytes']);

function writeSection(
  profile: Profile,
  weights: Weights,
  section: Section,
  stackTexts: StackTexts,
  buffer: TextBuffer,
): void {
  const { samples } = section;
  const unit = WRITTEN_UNITS.has(section.unit) ? section.unit : 'none';
  buffer.add(
    `\n{"type":"sampled","name":${JSON.stringify(section.name)},"unit":"${unit}",` +
      `"startValue":0,"endValue":${section.weight},"samples":[`,
  );
  const { stack: sampleStack } = profile.samples;
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    if (i > 0) buffer.add(',');
    if (lostBefore(weights, sample) > 0) buffer.add(`[${stackTexts.textOf(profile.lostStack)}],`);
    buffer.add(`[${stackTexts.textOf(sampleStack[sample])}]`);
  }
  buffer.add('],"weights":[');
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const lost = lostBefore(weights, sample);
    if (i > 0) buffer.add(',');
    if (lost > 0) buffer.add(`${lost},`);
    buffer.add(`${weights.values[sample]}`);
  }
  buffer.add(']}');
}

/** Weight of the loss gap that ended at a sample: shown as a separate sample before it. */
function lostBefore(weights: Weights, sample: number): number {
  return weights.lostBefore === undefined ? 0 : weights.lostBefore[sample];
}

/** `0,4,17`: the functions of a stack from the outermost inwards. Each row's text is made once. */
class StackTexts {
  readonly #profile: Profile;
  readonly #texts: (string | undefined)[];
  readonly #pending: number[] = [];

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#texts = new Array(profile.stacks.length).fill(undefined);
  }

  // Hot: once per sample, and once per stack row.
  textOf(stack: number): string {
    const { frame, prefix } = this.#profile.stacks;
    const frameToFunc = this.#profile.frames.func;
    const texts = this.#texts;
    const pending = this.#pending;
    let row = stack;
    while (row !== NONE && texts[row] === undefined) {
      pending.push(row);
      row = prefix[row];
    }
    let text = row === NONE ? '' : (texts[row] as string);
    while (pending.length > 0) {
      const next = pending.pop() as number;
      const func = frameToFunc[frame[next]];
      text = text === '' ? `${func}` : `${text},${func}`;
      texts[next] = text;
    }
    return text;
  }
}
