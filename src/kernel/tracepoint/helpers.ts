import { S32, U64, wrapInteger } from './c-type.ts';
import { PrintFmtError } from './errors.ts';
import {
  type BytesEvaluator,
  bytesOf,
  type Evaluator,
  type NumberEvaluator,
  numberOf,
  type TextEvaluator,
  textEvaluatorOf,
} from './evaluator.ts';
import type { Expression } from './expression.ts';
import type { TracepointField } from './format-file.ts';
import type { HelperCall } from './helper-call.ts';
import { formatBitmap, formatSocketAddress, hexBytes } from './pointer-formats.ts';
import type { NameScope } from './scope.ts';
import { printFlags, printSymbolic } from './symbolic.ts';

/**
 * The helpers that TP_printk may call: include/trace/stages/stage3_trace_output.h. Each looks at
 * its arguments once and returns what reads a sample. `__get_rel_str` and its like differ from
 * `__get_str` only in where the field's bytes are, which the field knows.
 */
const HELPERS: ReadonlyMap<string, (call: HelperCall) => Evaluator> = new Map<
  string,
  (call: HelperCall) => Evaluator
>([
  ['__print_flags', printFlags],
  ['__print_flags_u64', printFlags],
  ['__print_symbolic', printSymbolic],
  ['__print_symbolic_u64', printSymbolic],
  ['__print_hex', (call) => printHex(call, ' ')],
  ['__print_hex_str', (call) => printHex(call, '')],
  ['__print_array', printArray],
  ['__print_dynamic_array', printDynamicArray],
  ['__print_ns_to_secs', (call) => nanoseconds(call, (ns) => ns / 1_000_000_000n)],
  ['__print_ns_without_secs', (call) => nanoseconds(call, (ns) => ns % 1_000_000_000n)],
  ['__get_str', (call) => textEvaluatorOf(arrayOf(call))],
  ['__get_dynamic_array', arrayOf],
  ['__get_dynamic_array_len', arrayLength],
  ['__get_bitmask', bitmask],
  ['__get_cpumask', bitmask],
  ['__get_sockaddr', socketAddress],
  ['__builtin_expect', (call) => argument(call, 0)],
]);

/** @throws PrintFmtError if the helper is not known, or not called like this */
export function compileHelper(
  call: Extract<Expression, { kind: 'call' }>,
  scope: NameScope,
  compile: HelperCall['compile'],
): Evaluator {
  const helper = HELPERS.get(call.name.replace(/^__get_rel_/, '__get_'));
  if (helper === undefined) throw new PrintFmtError(`${call.name}()`);
  return helper({ name: call.name, args: call.args, scope, compile });
}

function argument({ name, args, scope, compile }: HelperCall, index: number): Evaluator {
  const expression = args[index];
  if (expression === undefined) throw new PrintFmtError(`${name}() without argument ${index + 1}`);
  return compile(expression, scope);
}

/** The field that a `__get_…` helper names, as a bare name. */
function fieldArgument({ name, args, scope }: HelperCall): TracepointField {
  const [first] = args;
  const field = first?.kind === 'name' ? scope.fieldOf(first.name) : null;
  if (field === null) throw new PrintFmtError(`${name}() of no field`);
  return field;
}

function arrayOf(call: HelperCall): BytesEvaluator {
  const { name } = fieldArgument(call);
  return bytesOf(call.compile({ kind: 'field', name }, call.scope), call.name);
}

/** Bytes, not elements. */
function arrayLength(call: HelperCall): NumberEvaluator {
  const { length } = arrayOf(call);
  return { kind: 'number', type: S32, read: (record) => BigInt(length(record)) };
}

function bitmask(call: HelperCall): TextEvaluator {
  const { at, length } = arrayOf(call);
  const { longSize } = call.scope;
  return {
    kind: 'text',
    read: (record) => {
      const bytes = record.bytes(at(record), length(record));
      return formatBitmap(bytes, bytes.length * 8, longSize, record.littleEndian);
    },
  };
}

function socketAddress(call: HelperCall): TextEvaluator {
  const { at, length } = arrayOf(call);
  return {
    kind: 'text',
    read: (record) =>
      formatSocketAddress(record.bytes(at(record), length(record)), 'pc', record.littleEndian),
  };
}

/** `__print_hex(array, bytes)` */
function printHex(call: HelperCall, separator: string): TextEvaluator {
  const { at } = bytesOf(argument(call, 0), call.name);
  const size = numberOf(argument(call, 1), call.name).read;
  return {
    kind: 'text',
    read: (record) => hexBytes(record.bytes(at(record), Number(size(record))), separator),
  };
}

/** `__print_array(array, elements, bytes of an element)`: `{0x1,0x2}` */
function printArray(call: HelperCall): TextEvaluator {
  const array = bytesOf(argument(call, 0), call.name);
  const count = numberOf(argument(call, 1), call.name).read;
  return elements(array, numberOf(argument(call, 2), call.name), (record) => Number(count(record)));
}

/** `__print_dynamic_array(field, bytes of an element)` */
function printDynamicArray(call: HelperCall): TextEvaluator {
  const array = arrayOf(call);
  return elements(array, numberOf(argument(call, 1), call.name), () => Number.POSITIVE_INFINITY);
}

function elements(
  { at, length }: BytesEvaluator,
  elementSize: NumberEvaluator,
  count: (record: Parameters<BytesEvaluator['at']>[0]) => number,
): TextEvaluator {
  return {
    kind: 'text',
    read: (record) => {
      const size = Number(elementSize.read(record));
      if (size !== 1 && size !== 2 && size !== 4 && size !== 8) return `BAD SIZE:${size}`;
      const start = at(record);
      // What the kernel counts may go beyond the field; no further than the field is shown.
      const shown = Math.min(count(record), Math.floor(length(record) / size));
      let text = '{';
      for (let i = 0; i < shown; i++) {
        const value = record.readBig(start + i * size, size, false);
        text += `${i === 0 ? '' : ','}0x${value.toString(16)}`;
      }
      return `${text}}`;
    },
  };
}

function nanoseconds(call: HelperCall, of: (ns: bigint) => bigint): NumberEvaluator {
  const { read } = numberOf(argument(call, 0), call.name);
  return { kind: 'number', type: U64, read: (record) => of(wrapInteger(read(record), U64)) };
}
