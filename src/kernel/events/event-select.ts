import type { EventSelectLayout } from './event-select-layouts.ts';

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

function readBits(register: bigint, bits: readonly number[]): bigint {
  let value = 0n;
  bits.forEach((bit, index) => {
    value |= ((register >> BigInt(bit)) & 1n) << BigInt(index);
  });
  return value;
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
