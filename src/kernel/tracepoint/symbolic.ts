import { U64, wrapInteger } from './c-type.ts';
import { PrintFmtError } from './errors.ts';
import {
  type NumberEvaluator,
  numberOf,
  type TextEvaluator,
  UNKNOWN,
  type UnknownEvaluator,
} from './evaluator.ts';
import type { Expression } from './expression.ts';
import type { HelperCall } from './helper-call.ts';
import { RawRecord } from './raw-record.ts';

/** One line of a table of names. */
type Name = { readonly value: bigint; readonly text: string };

/**
 * Enumerators that kernels before 4.1 left as names in the tables of these events; libtraceevent
 * knows the same ones.
 */
const KNOWN: ReadonlyMap<string, bigint> = new Map(
  [
    'HI_SOFTIRQ',
    'TIMER_SOFTIRQ',
    'NET_TX_SOFTIRQ',
    'NET_RX_SOFTIRQ',
    'BLOCK_SOFTIRQ',
    'IRQ_POLL_SOFTIRQ',
    'TASKLET_SOFTIRQ',
    'SCHED_SOFTIRQ',
    'HRTIMER_SOFTIRQ',
    'RCU_SOFTIRQ',
  ]
    .map((name, value): [string, bigint] => [name, BigInt(value)])
    .concat([
      ['BLOCK_IOPOLL_SOFTIRQ', 5n],
      ['HRTIMER_NORESTART', 0n],
      ['HRTIMER_RESTART', 1n],
    ]),
);

/**
 * `__print_flags(flags, "|", { mask, "name" }, …)`: the names of all masks that are wholly set,
 * what remains in hex. Nothing for 0.
 */
export function printFlags(call: HelperCall): TextEvaluator | UnknownEvaluator {
  const flags = firstArgument(call);
  if (flags.kind === 'unknown') return UNKNOWN;
  const delimiter = delimiterOf(call);
  const names = namesOf(call, call.args.slice(2));
  return {
    kind: 'text',
    read: (record) => {
      let left = wrapInteger(flags.read(record), U64);
      let text = '';
      for (const name of names) {
        if (left === 0n) break;
        if (name.value === 0n || (left & name.value) !== name.value) continue;
        left &= ~name.value;
        text += text === '' ? name.text : delimiter + name.text;
      }
      if (left === 0n) return text;
      return `${text === '' ? '' : text + delimiter}0x${left.toString(16)}`;
    },
  };
}

/** `__print_symbolic(value, { 1, "name" }, …)`: the first name of the value, else it in hex. */
export function printSymbolic(call: HelperCall): TextEvaluator | UnknownEvaluator {
  const value = firstArgument(call);
  if (value.kind === 'unknown') return UNKNOWN;
  const names = new Map<bigint, string>();
  for (const name of namesOf(call, call.args.slice(1))) {
    if (!names.has(name.value)) names.set(name.value, name.text);
  }
  return {
    kind: 'text',
    read: (record) => {
      // The kernel hands the value on as an unsigned long, so -1 is all ones.
      const held = wrapInteger(value.read(record), U64);
      return names.get(held) ?? `0x${held.toString(16)}`;
    },
  };
}

function firstArgument({
  name,
  args,
  scope,
  compile,
}: HelperCall): NumberEvaluator | UnknownEvaluator {
  if (args[0] === undefined) throw new PrintFmtError(`${name}() without arguments`);
  const value = compile(args[0], scope);
  return value.kind === 'unknown' ? value : numberOf(value, name);
}

function delimiterOf({ name, args }: HelperCall): string {
  if (args[1]?.kind !== 'string') throw new PrintFmtError(`${name}() without a delimiter`);
  return args[1].text;
}

/** A value that isn't known names nothing: its line is left out. */
function namesOf({ name, scope, compile }: HelperCall, lists: readonly Expression[]): Name[] {
  const nothing = new RawRecord();
  const names: Name[] = [];
  for (const list of lists) {
    if (list.kind !== 'list') throw new PrintFmtError(`${name}() with something else in its table`);
    const [value, text] = list.items;
    // Tables may end in { -1, NULL }.
    if (value === undefined || text?.kind !== 'string') continue;
    if (value.kind === 'name' && KNOWN.has(value.name)) {
      names.push({ value: KNOWN.get(value.name) as bigint, text: text.text });
      continue;
    }
    try {
      const { read } = numberOf(compile(value, scope), name);
      names.push({ value: wrapInteger(read(nothing), U64), text: text.text });
    } catch (error) {
      if (!(error instanceof PrintFmtError)) throw error;
    }
  }
  return names;
}
