import type { EventSpec } from './event-spec.ts';

/**
 * libpfm4's names of CPU events, where the library is installed. It knows what neither the kernel
 * nor sysfs tells: what each event number of a model counts, and which unit masks it has.
 */
export type LibpfmSource = {
  /** Why names can't be had, null if they can; the others then give nothing. */
  readonly problem: string | null;
  /** The models that this machine has: its CPU, and what the kernel counts on any machine. */
  models(): readonly LibpfmModel[];
  /** Every model that the library knows, present or not. */
  modelNames(): readonly string[];
  events(model: LibpfmModel): readonly LibpfmEvent[];
  /** `name` without `pfm::`. */
  encode(name: string): LibpfmEncoding | LibpfmRefusal;
};

export type LibpfmModel = {
  readonly id: number;
  /** `skl`, `amd64_fam19h_zen4`, `perf`. */
  readonly name: string;
  readonly description: string;
  /** False for `perf` and `perf_raw`: other names of what the kernel itself names. */
  readonly isVendor: boolean;
};

export type LibpfmEvent = {
  readonly name: string;
  readonly description: string;
  /** Another name of the same event; empty without one. */
  readonly equivalent: string;
  readonly unitMasks: readonly LibpfmAttribute[];
  /** `u`, `k`, `c`, `precise` …: what else may follow the name. */
  readonly modifiers: readonly LibpfmAttribute[];
};

export type LibpfmAttribute = {
  readonly name: string;
  readonly description: string;
  /** Counted where no unit mask is named. */
  readonly isDefault: boolean;
  /** Can be sampled with `precise`. */
  readonly isPrecise: boolean;
  /** Takes a value: `c=2`. */
  readonly takesNumber: boolean;
};

type EncodedField = 'type' | 'config' | 'config1' | 'config2' | 'exclude' | 'preciseIp';
type EncodedTerm = 'pinned' | 'exclusive' | 'period' | 'frequency';

export type LibpfmEncoding = Pick<EventSpec, EncodedField | EncodedTerm> & {
  readonly kind: 'encoded';
  /** The name with the model and every default written out. */
  readonly fullName: string;
  /** The value of `cpu=`. */
  readonly cpu: number | null;
};

export type LibpfmRefusal = {
  readonly kind: 'refused';
  /** `LIBPFM_ERROR`, or a number of a later library. */
  readonly error: number;
  /** The library's words. */
  readonly message: string;
};

/** `PFM_ERR_…` */
export const LIBPFM_ERROR = {
  NOT_FOUND: -4,
  COMBINATION: -5,
  UNIT_MASK: -6,
  ATTRIBUTE: -8,
  VALUE: -9,
  SET_TWICE: -10,
} as const;
