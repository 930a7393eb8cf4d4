import { PERF_TYPE } from '../../base/event-type.ts';
import { nearestNames } from '../../base/nearest-names.ts';
import { didYouMean, failAt } from './event-error.ts';
import type { EventSources } from './event-sources.ts';
import { isCorePmu } from './event-sources.ts';
import {
  LIBPFM_ERROR,
  type LibpfmEvent,
  type LibpfmModel,
  type LibpfmRefusal,
  type LibpfmSource,
} from './libpfm-source.ts';
import { cpusOf } from './pmu-events.ts';
import { type ResolvedEvent, resolvedEvent } from './resolved-event.ts';
import type { Word } from './word.ts';

/** The prefix of such names; libpfm's own name follows. */
export const LIBPFM_PREFIX = 'pfm::';

const HOW_TO_INSTALL = 'install it as root: apt-get install libpfm4 (Fedora: libpfm)';
const MOST_SHOWN = 16;

/**
 * An event by libpfm's name, with libpfm's unit masks and modifiers:
 *
 *   pfm::RETIRED_INSTRUCTIONS:u                   the model is found among those of this machine
 *   pfm::skl::MEM_LOAD_RETIRED:L3_MISS:precise=2  only on a machine of that model
 *
 * Privilege levels that the name leaves open are kernel and user, as with perf's --pfm-events.
 */
export function resolveLibpfmEvent(word: Word, sources: EventSources): ResolvedEvent {
  const libpfm = sources.libpfm;
  const problem = libpfm === undefined ? 'it is not looked for here' : libpfm.problem;
  if (libpfm === undefined || problem !== null) {
    return failAt(word, `libpfm's names can't be used: ${problem}`, [HOW_TO_INSTALL]);
  }
  const name = word.text.slice(LIBPFM_PREFIX.length);
  const found = libpfm.encode(name);
  if (found.kind === 'refused') return refuse(word, found, libpfm);
  const { type, config, config1, config2, cpu, kind: _, fullName: __, ...settings } = found;
  const pmu = type < FIRST_DYNAMIC_TYPE ? null : sources.pmus.find((each) => each.type === type);
  const isCore = pmu === null || (pmu !== undefined && isCorePmu(pmu));
  const ownCpus = pmu ? cpusOf(pmu) : null;
  return resolvedEvent(word.text, type, config, {
    config1,
    config2,
    cpus: cpu === null ? ownCpus : [cpu],
    isUncore: !isCore && ownCpus !== null,
    canExclude: isCore,
    settings: isCore ? settings : { ...settings, exclude: NOTHING },
  });
}

/** Types below are the kernel's own; PMUs get theirs from here on. */
const FIRST_DYNAMIC_TYPE = PERF_TYPE.BREAKPOINT + 1;

const NOTHING = {
  user: false,
  kernel: false,
  hv: false,
  idle: false,
  host: false,
  guest: false,
} as const;

/** Says which part of the name is wrong, and what could stand there. */
function refuse(word: Word, refusal: LibpfmRefusal, libpfm: LibpfmSource): never {
  const name = splitName(word);
  const models = libpfm.models();
  if (name.model !== null && !models.some((model) => sameName(model.name, name.model))) {
    return unknownModel(name.model, libpfm);
  }
  const candidates = models.filter((model) => !name.model || sameName(model.name, name.model));
  const event = findEvent(libpfm, candidates, name.event.text);
  if (event === null) return unknownEvent(name.event, candidates, libpfm);
  const wrong = name.attributes.find((attribute) => !isKnown(event, attribute.text));
  if (wrong !== undefined) return unknownAttribute(wrong, event);
  const at = name.attributes[0] ?? name.event;
  return failAt(at, `${event.name}: libpfm reports '${refusal.message}'`, [
    ...(HINTS[refusal.error] ?? []),
    ...describeAttributes(event),
  ]);
}

const HINTS: Readonly<Record<number, readonly string[]>> = {
  [LIBPFM_ERROR.NOT_FOUND]: ['the event needs a PMU that the kernel has not registered here'],
  [LIBPFM_ERROR.COMBINATION]: ['these unit masks or modifiers exclude each other'],
  [LIBPFM_ERROR.UNIT_MASK]: ['name one unit mask of those below'],
  [LIBPFM_ERROR.VALUE]: ['the value is too wide for its bits, or none is given'],
  [LIBPFM_ERROR.SET_TWICE]: ['a modifier is given twice'],
};

type SplitName = {
  readonly model: Word | null;
  readonly event: Word;
  readonly attributes: readonly Word[];
};

/** `pfm::model::EVENT:A:c=1` with the place of each part. */
function splitName(word: Word): SplitName {
  const { source } = word;
  let offset = word.offset + LIBPFM_PREFIX.length;
  const rest = word.text.slice(LIBPFM_PREFIX.length);
  const border = rest.indexOf('::');
  const model = border < 0 ? null : { text: rest.slice(0, border), offset, source };
  if (border >= 0) offset += border + 2;
  const parts: Word[] = [];
  for (const part of rest.slice(border < 0 ? 0 : border + 2).split(':')) {
    parts.push({ text: part, offset, source });
    offset += part.length + 1;
  }
  return { model, event: parts[0], attributes: parts.slice(1) };
}

function findEvent(
  libpfm: LibpfmSource,
  models: readonly LibpfmModel[],
  name: string,
): LibpfmEvent | null {
  const wanted = { text: name };
  for (const model of models) {
    const event = libpfm.events(model).find((each) => sameName(each.name, wanted));
    if (event !== undefined) return event;
  }
  return null;
}

/** libpfm does not look at case. */
function sameName(name: string, word: { readonly text: string } | null): boolean {
  return name.toLowerCase() === word?.text.toLowerCase();
}

function isKnown(event: LibpfmEvent, attribute: string): boolean {
  const [name = ''] = attribute.split('=');
  // A raw unit mask is a number.
  if (/^0x[0-9a-f]+$/i.test(name)) return true;
  return [...event.unitMasks, ...event.modifiers].some((each) =>
    sameName(each.name, { text: name }),
  );
}

function unknownModel(model: Word, libpfm: LibpfmSource): never {
  const here = libpfm.models().map(({ name }) => name);
  const isElsewhere = libpfm.modelNames().some((name) => sameName(name, model));
  const message = isElsewhere
    ? `libpfm knows the model '${model.text}', but this machine is another`
    : `libpfm has no model '${model.text}'`;
  return failAt(model, message, [
    ...didYouMean(nearestNames(model.text, here)),
    `models of this machine: ${here.join(', ')}`,
  ]);
}

function unknownEvent(event: Word, models: readonly LibpfmModel[], libpfm: LibpfmSource): never {
  const names = models.flatMap((model) => libpfm.events(model).map(({ name }) => name));
  const where = models.map(({ name }) => name).join(', ');
  return failAt(event, `libpfm has no event '${event.text}' for ${where}`, [
    ...didYouMean(nearestNames(event.text, names)),
    "perf-ts list 'pfm::*' shows what there is",
  ]);
}

/** perf's modifiers that libpfm writes in another way, or not at all. */
function inLibpfmWords(letters: string, event: LibpfmEvent): string[] {
  if (/^[ukh]{2,3}$/.test(letters)) return [`libpfm writes it :${[...letters].join(':')}`];
  if (!/^p{1,3}$/.test(letters)) return [];
  const hasPrecise = event.modifiers.some(({ name }) => name === 'precise');
  return hasPrecise
    ? [`libpfm writes it :precise=${letters.length}`]
    : [`libpfm does not know that it can be precise; pfm::…//${letters} asks the kernel`];
}

function unknownAttribute(attribute: Word, event: LibpfmEvent): never {
  const [name = ''] = attribute.text.split('=');
  const names = [...event.unitMasks, ...event.modifiers].map((each) => each.name);
  return failAt(attribute, `${event.name} has no unit mask or modifier '${name}'`, [
    ...inLibpfmWords(name, event),
    ...didYouMean(nearestNames(name, names)),
    ...describeAttributes(event),
  ]);
}

function describeAttributes({ unitMasks, modifiers }: LibpfmEvent): string[] {
  const list = (what: string, names: readonly string[]): string[] => {
    if (names.length === 0) return [];
    const rest = names.length - MOST_SHOWN;
    const more = rest > 0 ? ` and ${rest} more` : '';
    return [`${what}: ${names.slice(0, MOST_SHOWN).join(', ')}${more}`];
  };
  const withValue = modifiers.map((each) => (each.takesNumber ? `${each.name}=N` : each.name));
  return [
    ...list(
      'unit masks',
      unitMasks.map(({ name }) => name),
    ),
    ...list('modifiers', withValue),
  ];
}
