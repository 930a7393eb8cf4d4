import { nearestNames } from '../../base/nearest-names.ts';
import { didYouMean, failAt } from './event-error.ts';
import { OVERRIDE_TERMS } from './event-overrides.ts';
import type { PmuDescription } from './event-sources.ts';
import type { TermSyntax } from './event-syntax.ts';
import {
  applyFormat,
  CONFIG_FIELDS,
  type ConfigField,
  type ConfigValues,
  maxOfFormat,
  parsePmuFormat,
} from './pmu-format.ts';
import { MAX_U64, numberOfTerm, parseNumber } from './term-value.ts';

/** The terms that an event of sysfs stands for; like perf, the name's case does not count. */
export function findPmuEvent(pmu: PmuDescription, name: string): string | null {
  const exact = pmu.events.get(name);
  if (exact !== undefined) return exact;
  const key = name.toLowerCase();
  for (const [other, terms] of pmu.events) if (other.toLowerCase() === key) return terms;
  return null;
}

/** Applies what an event of sysfs stands for; `?` in it must be given by the user. */
export function applyNamedEvent(
  pmu: PmuDescription,
  event: TermSyntax,
  expansion: string,
  written: readonly TermSyntax[],
  values: ConfigValues,
): void {
  const missing: string[] = [];
  for (const part of expansion.split(',')) {
    const [name = '', given] = part.trim().split('=');
    if (given === '?') {
      if (!written.some(({ key }) => key.text === name)) missing.push(`${name}=…`);
      continue;
    }
    const target = targetOf(pmu, name);
    const value = given === undefined ? 1n : parseNumber(given);
    if (target === null || value === null || value > target.most) {
      const name = `${pmu.name}/${event.key.text}/`;
      const message = `${name} can't be used: sysfs describes it as '${expansion}'`;
      failAt(event.key, message);
    }
    target.apply(values, value);
  }
  if (missing.length > 0) {
    const message = `${pmu.name}/${event.key.text}/ needs ${missing.join(' and ')}`;
    failAt(event.key, message);
  }
}

/** Sets one term that the user wrote: a format, a whole field, or `r` and hex digits. */
export function applyTerm(pmu: PmuDescription, term: TermSyntax, values: ConfigValues): void {
  const { key } = term;
  if (term.value === null && applyRaw(pmu, key.text, values)) return;
  const target = targetOf(pmu, key.text);
  if (target === null) unknownTerm(pmu, term);
  const isFlag = term.value === null && target.isFlag;
  target.apply(values, isFlag ? 1n : numberOfTerm(term, target.most, target.limit));
}

/** `cpu/r1a8/`: the whole config, in hex. */
function applyRaw(pmu: PmuDescription, name: string, values: ConfigValues): boolean {
  const digits = /^r(?:0x)?([0-9a-fA-F]{1,16})$/.exec(name)?.[1];
  if (digits === undefined || pmu.formats.has(name)) return false;
  values.config = BigInt(`0x${digits}`);
  return true;
}

type TermTarget = {
  readonly most: bigint;
  /** `most` in words, with the reason. */
  readonly limit: string;
  /** May stand without a value, meaning 1. */
  readonly isFlag: boolean;
  apply(values: ConfigValues, value: bigint): void;
};

/** The place of a term's value: a format of the PMU or a whole field. Null for unknown terms. */
function targetOf(pmu: PmuDescription, name: string): TermTarget | null {
  const described = pmu.formats.get(name);
  const format = described === undefined ? null : parsePmuFormat(described);
  if (format !== null) {
    const most = maxOfFormat(format);
    const width = format.bits.length === 1 ? '1 bit' : `${format.bits.length} bits`;
    return {
      most,
      limit: `it has ${width} (${described}), at most 0x${most.toString(16)}`,
      isFlag: true,
      apply: (values, value) => applyFormat(values, format, value),
    };
  }
  const field = CONFIG_FIELDS.find((candidate: ConfigField) => candidate === name);
  if (field === undefined) return null;
  return {
    most: MAX_U64,
    limit: 'it has 64 bits',
    isFlag: false,
    apply: (values, value) => {
      values[field] = value;
    },
  };
}

function unknownTerm(pmu: PmuDescription, { key }: TermSyntax): never {
  const described = pmu.formats.get(key.text);
  if (described !== undefined) {
    const message = `${pmu.name}/${key.text}=…/ can't be used: sysfs describes it as '${described}'`;
    failAt(key, message);
  }
  const formats = [...pmu.formats.keys()].sort();
  const names = [...formats, ...pmu.events.keys(), ...CONFIG_FIELDS, ...OVERRIDE_TERMS];
  return failAt(key, `${pmu.name} has no term or event '${key.text}'`, [
    ...didYouMean(nearestNames(key.text, names)),
    `terms of ${pmu.name}: ${[...formats, 'config', 'config1', 'config2'].join(', ')}`,
    `its events: perf-ts list '${pmu.name}/*'`,
  ]);
}
