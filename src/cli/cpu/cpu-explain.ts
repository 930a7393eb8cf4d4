import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { explainEventSelect } from '../../kernel/events/event-select.ts';
import { eventSelectLayout, type SelectVendor } from '../../kernel/events/event-select-layouts.ts';
import { formatTable } from '../render/table.ts';

/** Counters whose registers are named one by one. */
const NAMED_PAIRS = 4;
const MOST_BITS = 64;

/** A register in hex, with 0x or without. Throws UsageError. */
export function parseRegister(text: string): bigint {
  if (!/^(0x)?[0-9a-f]+$/i.test(text)) {
    throw new UsageError(`--explain: '${printable(text)}' is not a number in hex`, [
      'for example: perf-ts cpu --explain 0x004300c0',
    ]);
  }
  const register = BigInt(text.toLowerCase().startsWith('0x') ? text : `0x${text}`);
  if (register >> BigInt(MOST_BITS) !== 0n) {
    throw new UsageError(`--explain: ${text} has more than ${MOST_BITS} bits`);
  }
  return register;
}

/** Every field of an event select, the registers it belongs in, and the event that asks for it. */
export function explainLines(
  register: bigint,
  vendor: SelectVendor,
  { colour }: { colour: boolean },
): string[] {
  const layout = eventSelectLayout(vendor);
  const rows = explainEventSelect(register, layout).map(({ name, bits, value, meaning }) => [
    bits,
    name,
    `0x${value.toString(16)}`,
    meaning,
  ]);
  const event = eventOf(register, vendor);
  return [
    `0x${register.toString(16).padStart(8, '0')} as an event select of ${vendor}`,
    '',
    ...formatTable(['bits', 'field', 'value', 'meaning'], rows, { right: [0], colour }),
    '',
    ...formatTable(['counter', 'select', 'count'], pairsOf(vendor), { colour }),
    layout.registers,
    ...(event === null ? [] : ['', `to count the same: -e ${event}`]),
    'perf-ts writes no registers: the kernel does, and sets INT and EN itself',
  ];
}

export function explainedJson(register: bigint, vendor: SelectVendor) {
  const layout = eventSelectLayout(vendor);
  return {
    schema: 'perf-ts/event-select@1' as const,
    vendor,
    register: `0x${register.toString(16)}`,
    fields: explainEventSelect(register, layout),
    counters: pairsOf(vendor).map(([counter, select, count]) => ({
      counter: Number(counter),
      select,
      count,
    })),
    event: eventOf(register, vendor),
  };
}

function pairsOf(vendor: SelectVendor): string[][] {
  const layout = eventSelectLayout(vendor);
  return Array.from({ length: NAMED_PAIRS }, (_, n) => {
    const { select, counter } = layout.registersOf(n);
    return [String(n), select, counter];
  });
}

/** Fields that the kernel takes from an event's config; the others are its own, or the mode. */
const CONFIG_FIELDS = new Set('EVENT UMASK E ANY INV CMASK IN_TX IN_TXCP EQ UMASK2'.split(' '));

/** `-e` for the same count: the bits that the kernel takes, and the mode as modifiers. */
function eventOf(register: bigint, vendor: SelectVendor): string | null {
  if (vendor === 'arm') return null;
  const layout = eventSelectLayout(vendor);
  const isSet = (name: string) =>
    explainEventSelect(register, layout).some((field) => field.name === name && field.value === 1);
  const [user, kernel] = [isSet('USR'), isSet('OS')];
  if (!user && !kernel) return null;
  let config = 0n;
  for (const { name, bits } of layout.fields) {
    if (!CONFIG_FIELDS.has(name)) continue;
    for (const bit of bits) config |= register & (1n << BigInt(bit));
  }
  const modifiers = user && kernel ? '' : user ? ':u' : ':k';
  return `r${config.toString(16)}${modifiers}`;
}
