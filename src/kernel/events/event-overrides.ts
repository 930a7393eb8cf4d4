import { didYouMean, failAt } from './event-error.ts';
import type { EventSpec } from './event-spec.ts';
import type { TermSyntax } from './event-syntax.ts';
import { nearestNames } from './nearest-names.ts';
import { numberOfTerm } from './term-value.ts';

/** What an event says about its own sampling, `cpu-clock/freq=99,call-graph=fp/`. */
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

const TERMS: Readonly<Record<string, (draft: Draft, text: string, term: TermSyntax) => void>> = {
  name: (draft, text, term) => {
    draft.displayName = term.value?.text || failAt(text, term.key.offset, 'name needs a value');
  },
  period: (draft, text, term) => {
    draft.period = atLeastOne(text, term, BigInt(Number.MAX_SAFE_INTEGER));
  },
  freq: (draft, text, term) => {
    draft.frequency = atLeastOne(text, term, MAX_FREQUENCY_HZ);
  },
  'call-graph': (draft, text, term) => {
    const mode = CALL_GRAPHS.find((name) => name === term.value?.text);
    const at = term.value?.offset ?? term.key.offset;
    draft.callGraph = mode ?? failAt(text, at, `call-graph is one of ${CALL_GRAPHS.join(', ')}`);
  },
  'stack-size': (draft, text, term) => {
    draft.stackSizeBytes = atLeastOne(text, term, MAX_STACK_BYTES);
  },
  'max-stack': (draft, text, term) => {
    draft.maxStack = atLeastOne(text, term, MAX_STACK_FRAMES);
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
export function splitOverrides(
  text: string,
  terms: readonly TermSyntax[],
): { overrides: EventOverrides; others: TermSyntax[] } {
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
      failAt(text, key.offset, `the term '${key.text}' is not supported`, [
        `supported for every event: ${OVERRIDE_TERMS.join(', ')}`,
      ]);
    }
    const apply = Object.hasOwn(TERMS, key.text) ? TERMS[key.text] : undefined;
    if (apply) apply(draft, text, term);
    else others.push(term);
    if (draft.period !== null && draft.frequency !== null) {
      failAt(text, key.offset, 'period and freq exclude each other');
    }
  }
  return { overrides: draft, others };
}

/** For events that have a name and no bits: any term that is left over is an error. */
export function refuseTerms(text: string, terms: readonly TermSyntax[], event: string): void {
  for (const { key } of terms) {
    failAt(text, key.offset, `${event} has no term '${key.text}'`, [
      ...didYouMean(nearestNames(key.text, OVERRIDE_TERMS)),
      `terms of every event: ${OVERRIDE_TERMS.join(', ')}`,
    ]);
  }
}

function atLeastOne(text: string, term: TermSyntax, most: bigint): number {
  const value = numberOfTerm(text, term, most);
  if (value === 0n) {
    failAt(text, (term.value ?? term.key).offset, `${term.key.text}=0: must be at least 1`);
  }
  return Number(value);
}
