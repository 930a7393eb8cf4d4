import { nearestNames } from '../../base/nearest-names.ts';
import { didYouMean, failAt } from './event-error.ts';
import type { EventSpec } from './event-spec.ts';
import type { TermSyntax } from './event-syntax.ts';
import { numberOfTerm } from './term-value.ts';

/** An event's terms about its own sampling, `cpu-clock/freq=99,call-graph=fp/`. */
export type EventOverrides = Pick<
  EventSpec,
  'period' | 'frequency' | 'callGraph' | 'stackSizeBytes' | 'maxStack' | 'inherit'
> & {
  /** `name=`: shown in place of the event's own name and modifiers. */
  readonly displayName: string | null;
};

type Draft = { -readonly [Key in keyof EventOverrides]: EventOverrides[Key] };

const MAX_FREQUENCY_HZ = 0xffff_ffffn;
/** `sample_stack_user` is rounded to 8 and limited to 16 bits by the kernel. */
const MAX_STACK_BYTES = 65_528n;
/** `sample_max_stack` is a u16. */
const MAX_STACK_FRAMES = 0xffffn;

const CALL_GRAPHS = ['fp', 'dwarf', 'lbr', 'no'] as const;

const TERMS: Readonly<Record<string, (draft: Draft, term: TermSyntax) => void>> = {
  name: (draft, term) => {
    draft.displayName = term.value?.text || failAt(term.key, 'name needs a value');
  },
  period: (draft, term) => {
    draft.period = atLeastOne(term, BigInt(Number.MAX_SAFE_INTEGER));
  },
  freq: (draft, term) => {
    draft.frequency = atLeastOne(term, MAX_FREQUENCY_HZ);
  },
  'call-graph': (draft, term) => {
    const mode = CALL_GRAPHS.find((name) => name === term.value?.text);
    const expected = `call-graph is one of ${CALL_GRAPHS.join(', ')}`;
    draft.callGraph = mode ?? failAt(term.value ?? term.key, expected);
  },
  'stack-size': (draft, term) => {
    draft.stackSizeBytes = atLeastOne(term, MAX_STACK_BYTES);
  },
  'max-stack': (draft, term) => {
    draft.maxStack = atLeastOne(term, MAX_STACK_FRAMES);
  },
  inherit: (draft) => {
    draft.inherit = true;
  },
  'no-inherit': (draft) => {
    draft.inherit = false;
  },
};

export const OVERRIDE_TERMS: readonly string[] = Object.keys(TERMS);

/** Terms of perf that would change the recording and have no meaning here yet. */
const UNSUPPORTED = new Set([
  'aux-output',
  'aux-sample-size',
  'branch_type',
  'driver-config',
  'no-overwrite',
  'overwrite',
  'percore',
  'time',
]);

/** Takes the overrides out of `terms`; what is left is for the PMU. */
export function splitOverrides(terms: readonly TermSyntax[]): {
  overrides: EventOverrides;
  others: TermSyntax[];
} {
  const draft: Draft = {
    displayName: null,
    period: null,
    frequency: null,
    callGraph: null,
    stackSizeBytes: null,
    maxStack: null,
    inherit: null,
  };
  const others: TermSyntax[] = [];
  for (const term of terms) {
    const { key } = term;
    if (UNSUPPORTED.has(key.text)) {
      failAt(key, `the term '${key.text}' is not supported`, [
        `supported for every event: ${OVERRIDE_TERMS.join(', ')}`,
      ]);
    }
    const apply = Object.hasOwn(TERMS, key.text) ? TERMS[key.text] : undefined;
    if (apply) apply(draft, term);
    else others.push(term);
    if (draft.period !== null && draft.frequency !== null) {
      failAt(key, 'period and freq exclude each other');
    }
  }
  return { overrides: draft, others };
}

/** Refuses terms that are left over: events with a name and no bits take none. */
export function refuseTerms(terms: readonly TermSyntax[], event: string): void {
  for (const { key } of terms) {
    failAt(key, `${event} has no term '${key.text}'`, [
      ...didYouMean(nearestNames(key.text, OVERRIDE_TERMS)),
      `terms of every event: ${OVERRIDE_TERMS.join(', ')}`,
    ]);
  }
}

function atLeastOne(term: TermSyntax, most: bigint): number {
  const value = numberOfTerm(term, most);
  if (value === 0n) {
    failAt(term.value ?? term.key, `${term.key.text}=0: must be at least 1`);
  }
  return Number(value);
}
