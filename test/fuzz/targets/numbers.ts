// Every number of a recording and of a profile of another tool at its extremes, through all that reads it.

import { throughEveryDoor } from '../doors.ts';
import { everyKind } from '../every-kind.ts';
import type { Random } from '../mutate-bytes.ts';
import {
  alsoAnother,
  fieldOfCase,
  type NumberField,
  numberFields,
  replaceInText,
  replaceNumber,
  textNumbers,
  VALUES_OF_EACH,
  VALUES_OF_TEXT,
  valueOfInteger,
} from '../number-fields.ts';
import { PADDED_PPROF, paddedVarint } from '../padded-pprof.ts';
import { type Target, toBytes, toText } from '../target.ts';
import { devToolsSeeds } from './import-devtools.ts';
import { textSeeds } from './import-text.ts';
import { recordingSeeds } from './recording.ts';

/** A number of one of the seeds. */
type SeedField<Field> = { readonly seed: Uint8Array; readonly field: Field };

/** Found once for the same seeds, which have some thousands. */
function fieldsOfSeeds<Field>(find: (seed: Uint8Array) => readonly Field[]) {
  const known = new WeakMap<readonly Uint8Array[], SeedField<Field>[]>();
  return (seeds: readonly Uint8Array[]): SeedField<Field>[] => {
    let fields = known.get(seeds);
    if (fields === undefined) {
      fields = seeds.flatMap((seed) => find(seed).map((field) => ({ seed, field })));
      known.set(seeds, fields);
    }
    return fields;
  };
}

const fieldsOfRecordings = fieldsOfSeeds(numberFields);
const fieldsOfTexts = fieldsOfSeeds((seed) => textNumbers(toText(seed)));

function mutateRecording(seeds: readonly Uint8Array[], random: Random, number: number): Uint8Array {
  const fields = fieldsOfRecordings(seeds);
  const { field: row, value } = fieldOfCase(number, fields.length, VALUES_OF_EACH);
  const { seed, field } = fields[row];
  const bytes = Uint8Array.from(seed);
  replaceNumber(bytes, field, value, random);
  const ofSeed: NumberField[] = fields.filter((one) => one.seed === seed).map((one) => one.field);
  const other = alsoAnother(random, ofSeed);
  if (other !== null) replaceNumber(bytes, other, Math.floor(random() * VALUES_OF_EACH), random);
  return bytes;
}

function mutateText(seeds: readonly Uint8Array[], _random: Random, number: number): Uint8Array {
  const fields = fieldsOfTexts(seeds);
  const { field: row, value } = fieldOfCase(number, fields.length, VALUES_OF_TEXT);
  const { seed, field } = fields[row];
  return toBytes(replaceInText(toText(seed), field, value));
}

function mutatePprof(seeds: readonly Uint8Array[], _random: Random, number: number): Uint8Array {
  const { integers } = PADDED_PPROF;
  const { field, value } = fieldOfCase(number, integers.length, VALUES_OF_EACH);
  const bytes = Uint8Array.from(seeds[0]);
  const at = integers[field];
  bytes.set(paddedVarint(valueOfInteger(value, at, bytes.length)), at);
  return bytes;
}

let drawn: Uint8Array[] | null = null;
const LARGEST_SEED = 20_000;

function seedsOfRecordings(): Uint8Array[] {
  drawn ??=
    process.env.PERF_TS_FUZZ_FILES === undefined ? everyKind() : recordingSeeds(LARGEST_SEED);
  return drawn;
}

let texts: Uint8Array[] | null = null;

export const numberTargets: readonly Target[] = [
  {
    name: 'numbers',
    seeds: seedsOfRecordings,
    mutate: mutateRecording,
    read: throughEveryDoor,
    fewCases: 25,
  },
  {
    name: 'numbers-of-texts',
    seeds: () => (texts ??= [...textSeeds(), ...devToolsSeeds()]),
    mutate: mutateText,
    read: throughEveryDoor,
    fewCases: 25,
  },
  {
    name: 'numbers-of-pprof',
    seeds: () => [PADDED_PPROF.bytes],
    mutate: mutatePprof,
    read: throughEveryDoor,
    fewCases: 25,
  },
];
