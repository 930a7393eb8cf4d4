import {
  applyFormat,
  type ConfigValues,
  maxOfFormat,
  type PmuFormat,
  parsePmuFormat,
} from './pmu-format.ts';

/**
 * A counter as its registers are set up: which event, which of its kinds, in which mode of the
 * processor, and with what threshold. FreeBSD's perfmon(4) has the same fields in `struct pmc`.
 */
export type RawCounter = {
  /** Number of the event in the processor's manual. */
  readonly event: number;
  /** Which kinds of the event; what the bits mean depends on the event. */
  readonly unitMask: number;
  /** Counts in user mode. */
  readonly user: boolean;
  /** Counts in the kernel. */
  readonly kernel: boolean;
  /**
   * Counts occurrences: cycles in which the condition becomes true. Unset: every cycle during which
   * it holds, or every event.
   */
  readonly edge: boolean;
  /** Turns the comparison with `counterMask` round. */
  readonly invert: boolean;
  /** A threshold: counts cycles with so many events or more (`invert`: fewer). 0: none. */
  readonly counterMask: number;
};

/** A raw counter as a caller writes it. Missing fields are 0 or false; user and kernel mode count. */
export type RawCounterSpec = Partial<RawCounter> & Pick<RawCounter, 'event'>;

/** sysfs's `format/` of a core PMU, or the same for a family (`event-select.ts`). */
export type RawFormats = ReadonlyMap<string, string>;

const NO_VALUES: Readonly<ConfigValues> = { config: 0n, config1: 0n, config2: 0n, config3: 0n };
/** arm64's `threshold_compare`: at least, less than. */
const COMPARE_AT_LEAST = 2n;
const COMPARE_LESS = 3n;

export function fullRawCounter(spec: RawCounterSpec): RawCounter {
  return {
    event: spec.event,
    unitMask: spec.unitMask ?? 0,
    user: spec.user ?? true,
    kernel: spec.kernel ?? true,
    edge: spec.edge ?? false,
    invert: spec.invert ?? false,
    counterMask: spec.counterMask ?? 0,
  };
}

/**
 * The bits of `spec` without its mode, which are `exclude_user` and `exclude_kernel` of the attr: the
 * kernel ignores USR and OS. Throws `RangeError` for a value that does not fit its bits, or that these
 * formats have no bits for.
 */
export function encodeRawCounter(
  spec: RawCounterSpec,
  formats: RawFormats,
): Readonly<ConfigValues> {
  const counter = fullRawCounter(spec);
  const values = { ...NO_VALUES };
  put(values, formats, 'event', 'event', counter.event);
  put(values, formats, 'unitMask', 'umask', counter.unitMask);
  put(values, formats, 'edge', 'edge', Number(counter.edge));
  if (formats.has('threshold')) {
    put(values, formats, 'counterMask', 'threshold', counter.counterMask);
    const compare = counter.invert ? COMPARE_LESS : COMPARE_AT_LEAST;
    if (counter.counterMask > 0 || counter.invert) {
      put(values, formats, 'invert', 'threshold_compare', Number(compare));
    }
  } else {
    put(values, formats, 'counterMask', 'cmask', counter.counterMask);
    put(values, formats, 'invert', 'inv', Number(counter.invert));
  }
  return values;
}

function formatOf(formats: RawFormats, name: string): PmuFormat | null {
  const text = formats.get(name);
  return text === undefined ? null : parsePmuFormat(text);
}

function put(
  values: ConfigValues,
  formats: RawFormats,
  field: keyof RawCounter,
  name: string,
  value: number,
): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${field}: expected a whole number from 0, got ${value}`);
  }
  const format = formatOf(formats, name);
  if (format === null) {
    if (value === 0) return;
    const known = [...formats.keys()].join(', ');
    throw new RangeError(`${field}: this PMU's counters have no ${name} (they have ${known})`);
  }
  const most = maxOfFormat(format);
  if (BigInt(value) > most) {
    const width = format.bits.length === 1 ? '1 bit' : `${format.bits.length} bits`;
    throw new RangeError(
      `${field}: 0x${value.toString(16)} does not fit ${name} (${formats.get(name)}): ` +
        `it has ${width}, at most 0x${most.toString(16)}`,
    );
  }
  applyFormat(values, format, BigInt(value));
}
