/**
 * libpfm4 as the addon hands it on (native/core/names/libpfm.h): names of CPU events, where the library
 * is installed. All but `load` throw where it is not.
 */
export type NativeLibpfm = {
  /** `major << 16 | minor` of the library, 0 without one; `problem` then states what is missing. */
  load(): { readonly version: number; readonly problem: string };
  /** Every model that the library knows, of all CPUs of this architecture. */
  models(): readonly PfmModel[];
  /** The events of a model, by its id; none for an id that is no model. */
  events(modelId: number): readonly PfmEvent[];
  /** The event as a `perf_event_attr` of 136 bytes, with the fields that libpfm's modifiers set. */
  encodeAttr(name: string, privilegeLevels: number): PfmEncoding;
};

export type PfmModel = {
  readonly id: number;
  /** `skl`, `amd64_fam19h_zen4`, `perf`. */
  readonly name: string;
  readonly description: string;
  /** `PFM_MODEL_TYPE`. */
  readonly type: number;
  /** The machine has it, or LIBPFM_FORCE_PMU states so. */
  readonly isPresent: boolean;
};

/** `pfm_pmu_type_t` */
export const PFM_MODEL_TYPE = { CORE: 1, UNCORE: 2, OS_GENERIC: 3 } as const;

export type PfmEvent = {
  readonly name: string;
  readonly description: string;
  /** Another name of the same event; empty without one. */
  readonly equivalent: string;
  readonly attributes: readonly PfmAttribute[];
};

export type PfmAttribute = {
  readonly name: string;
  readonly description: string;
  /** `PFM_ATTRIBUTE_TYPE`. */
  readonly type: number;
  /** 1 bits of the PMU, 2 a field of perf_event_attr. */
  readonly control: number;
  readonly isDefault: boolean;
  readonly isPrecise: boolean;
};

/** `pfm_attr_t` */
export const PFM_ATTRIBUTE_TYPE = { UMASK: 1, BOOL: 2, INTEGER: 3, RAW_UMASK: 4 } as const;

/** Privilege levels that are counted where the name has none: `PFM_PLM…`, a sum. */
export const PFM_PLM = { KERNEL: 1, USER: 8, HYPERVISOR: 16 } as const;

export type PfmEncoding = {
  /** 0, or a `PFM_ERR_…`: negative. */
  readonly error: number;
  readonly message: string;
  /** The name with every default written out. */
  readonly fullName: string;
  /** Empty where none was found. */
  readonly attr: Uint8Array;
  /** The CPU of a `cpu=` modifier, −1 without one. */
  readonly cpu: number;
};
