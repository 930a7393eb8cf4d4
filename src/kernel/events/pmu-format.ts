/**
 * The place of a term's bits in the attr, as sysfs `format/` files have it:
 *
 *   umask      config:8-15        ->  bits 8…15 of config
 *   event      config:0-7,32-35   ->  the low 8 bits to 0…7, the next 4 to 32…35
 *   edge       config:18          ->  one bit
 *
 * https://docs.kernel.org/admin-guide/abi-testing.html, sysfs-bus-event_source-devices-format
 */
export type PmuFormat = {
  readonly field: ConfigField;
  /** Bits of the field, from the value's lowest bit up. */
  readonly bits: readonly number[];
};

export const CONFIG_FIELDS = ['config', 'config1', 'config2', 'config3'] as const;
export type ConfigField = (typeof CONFIG_FIELDS)[number];

/** The four values that a PMU gets with an event. Mutable while terms are applied. */
export type ConfigValues = Record<ConfigField, bigint>;

const TOP_BIT = 63;

/** Null for text of another form; a later kernel may know more than this. */
export function parsePmuFormat(text: string): PmuFormat | null {
  const match = /^(config[123]?):([\d,-]+)$/.exec(text.trim());
  if (match === null) return null;
  const bits: number[] = [];
  for (const part of match[2].split(',')) {
    const range = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part);
    const first = Number(range?.[1]);
    const last = Number(range?.[2] ?? range?.[1]);
    if (range === null || last < first || last > TOP_BIT) return null;
    for (let bit = first; bit <= last; bit++) bits.push(bit);
  }
  return { field: match[1] as ConfigField, bits };
}

/** The largest value that fits. */
export function maxOfFormat(format: PmuFormat): bigint {
  return (1n << BigInt(format.bits.length)) - 1n;
}

/** Replaces the format's bits by `value`, which must fit. Other bits stay. */
export function applyFormat(values: ConfigValues, format: PmuFormat, value: bigint): void {
  let result = values[format.field];
  format.bits.forEach((bit, index) => {
    const mask = 1n << BigInt(bit);
    const isSet = ((value >> BigInt(index)) & 1n) === 1n;
    result = isSet ? result | mask : result & ~mask;
  });
  values[format.field] = result;
}
