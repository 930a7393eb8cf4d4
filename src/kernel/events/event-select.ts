import type { EventSelectLayout } from './event-select-layouts.ts';
import { fullRawCounter, type RawCounter, type RawCounterSpec } from './raw-counter.ts';

/** One field of a register, with its value. */
export type ExplainedField = {
  readonly name: string;
  /** `7:0`, `18`, `35:32,7:0`. */
  readonly bits: string;
  readonly value: number;
  readonly meaning: string;
};

/** Every field in the order of its bits; bits that belong to none come last, as `reserved`. */
export function explainEventSelect(
  register: bigint,
  layout: EventSelectLayout,
): readonly ExplainedField[] {
  let left = register;
  const fields = layout.fields.map(({ name, bits, meaning }) => {
    const value = Number(readBits(register, bits));
    for (const bit of bits) left &= ~(1n << BigInt(bit));
    return { name, bits: formatBits(bits), value, meaning: meaning(value), lowest: bits[0] ?? 0 };
  });
  fields.sort((a, b) => a.lowest - b.lowest);
  const explained = fields.map(({ lowest: _, ...field }) => field);
  for (let bit = 0; left !== 0n; bit++, left >>= 1n) {
    if ((left & 1n) === 0n) continue;
    explained.push({
      name: 'reserved',
      bits: String(bit),
      value: 1,
      meaning: `no field of ${layout.vendor === 'arm' ? 'arm64' : layout.vendor}`,
    });
  }
  return explained;
}

/**
 * The register for `spec` on Intel or AMD, with EN set as the kernel does when it starts the counter,
 * and INT left out. Throws `RangeError` for values too wide for their fields.
 */
export function toEventSelect(spec: RawCounterSpec, layout: EventSelectLayout): bigint {
  const counter = fullRawCounter(spec);
  let register = 0n;
  for (const [name, value] of fieldValues(counter)) {
    const field = layout.fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      throw new RangeError(`event selects of ${layout.vendor} have no field ${name}`);
    }
    if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** field.bits.length) {
      const most = `0x${(2 ** field.bits.length - 1).toString(16)}`;
      throw new RangeError(`${name}: expected 0 to ${most}, got ${value}`);
    }
    register |= writeBits(BigInt(value), field.bits);
  }
  return register;
}

/** The counter that a register of Intel or AMD sets up, and whether it counts (EN). */
export function fromEventSelect(
  register: bigint,
  layout: EventSelectLayout,
): { readonly counter: RawCounter; readonly enabled: boolean } {
  const value = (name: string) => {
    const field = layout.fields.find((candidate) => candidate.name === name);
    return field === undefined ? 0 : Number(readBits(register, field.bits));
  };
  const counter: RawCounter = {
    event: value('EVENT'),
    unitMask: value('UMASK'),
    user: value('USR') === 1,
    kernel: value('OS') === 1,
    edge: value('E') === 1,
    invert: value('INV') === 1,
    counterMask: value('CMASK'),
  };
  return { counter, enabled: value('EN') === 1 };
}

function fieldValues(counter: RawCounter): readonly (readonly [string, number])[] {
  return [
    ['EVENT', counter.event],
    ['UMASK', counter.unitMask],
    ['USR', Number(counter.user)],
    ['OS', Number(counter.kernel)],
    ['E', Number(counter.edge)],
    ['EN', 1],
    ['INV', Number(counter.invert)],
    ['CMASK', counter.counterMask],
  ];
}

function readBits(register: bigint, bits: readonly number[]): bigint {
  let value = 0n;
  bits.forEach((bit, index) => {
    value |= ((register >> BigInt(bit)) & 1n) << BigInt(index);
  });
  return value;
}

function writeBits(value: bigint, bits: readonly number[]): bigint {
  let register = 0n;
  bits.forEach((bit, index) => {
    register |= ((value >> BigInt(index)) & 1n) << BigInt(bit);
  });
  return register;
}

/** Runs of bits, the highest first, as manuals write them. */
function formatBits(bits: readonly number[]): string {
  const runs: string[] = [];
  let start = bits[0];
  let last = start;
  for (const bit of [...bits.slice(1), Number.NaN]) {
    if (bit === last + 1) {
      last = bit;
      continue;
    }
    runs.unshift(last === start ? `${start}` : `${last}:${start}`);
    start = bit;
    last = bit;
  }
  return runs.join(',');
}
