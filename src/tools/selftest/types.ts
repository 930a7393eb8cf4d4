import type { PeriodRule, ReportedPeriod } from '../../period/types.ts';
import type { ProbedRule } from '../../profile/types.ts';
import type { PhaseName } from './marks.ts';

/** How one recording of the selftest is made. */
export type CaseSetup = {
  /** Event as asked for, in perf's syntax. */
  readonly event: string;
  readonly rate: { readonly freq: number } | { readonly count: number };
  /** `record --counts`. */
  readonly counts: boolean;
  /** `record --no-inherit`: the main thread alone, so that each instance's final value is known. */
  readonly oneThread: boolean;
};

/** A phase's part of all phases with an account, by the workload's word and by our weights. */
export type PhaseShare = {
  readonly phase: PhaseName;
  /** 0…1, by the workload's own account. */
  readonly trueShare: number;
  /** 0…1, by the default weights of the samples in the phase. */
  readonly share: number;
  /**
   * Deviation of `share` that is no fault of the weights, 0…1: at each border of the phase one
   * interval, and the events after the last sample, which are in no phase.
   */
  readonly slack: number;
  /** 95 % interval of `share`, as reports give it; null where they give none. */
  readonly interval: { readonly low: number; readonly high: number } | null;
};

/** Contents of one recording. Null: not recorded, or not applicable. */
export type CaseNumbers = {
  readonly samples: number;
  readonly lostSamples: number;
  /** The counter's final value over all instances. */
  readonly counted: number | null;
  /** Σ of the default weights. */
  readonly weighed: number;
  /** Events that no weight stands for; null where the counter was not read. */
  readonly ledger: {
    /** Events of samples that were lost. */
    readonly gaps: number;
    /** After the last sample of an instance. */
    readonly tail: number;
    /** Events of instances without a sample. */
    readonly unsampled: number;
    /** One of the three above. */
    readonly undivided: number;
    /** The rest of the counter's value: 0, or something is wrong. */
    readonly unaccounted: number;
  } | null;
  /** Σ over the streams of the last period reported: where the rule is 'next', the tail's bound. */
  readonly lastPeriods: number;
  /** Unit is nanoseconds. */
  readonly isClock: boolean;
  /** Kernel code is left out. */
  readonly isUserOnly: boolean;
  /** Event instances that took samples. */
  readonly streams: number;
  readonly rule: ReportedPeriod;
  /** The rule that was measured before the recording; null where nothing was. */
  readonly probed: ProbedRule | null;
  /** The rule by the fit alone of the same samples; null in period mode and for clocks. */
  readonly fit: ReportedPeriod | null;
  /** Period mode with counts: streams whose samples are not the counter over the period. */
  readonly streamsOffCount: number | null;
  /** The kernel's algorithm replayed, over all streams. */
  readonly model: {
    readonly compared: number;
    readonly exact: number;
    readonly within1Percent: number;
    readonly tickDriven: boolean;
  } | null;
  readonly throttles: number;
  readonly throttledNs: number;
  /** `kernel.perf_event_max_sample_rate` before and after. */
  readonly maxSampleRate: number | null;
  readonly maxSampleRateAfter: number | null;
  /** Samples with an earlier time than the sample before them. */
  readonly outOfOrder: number;
  readonly phases: readonly PhaseShare[];
  /** First periods of the largest stream, as reported. */
  readonly firstPeriods: readonly number[];
};

/** `ok`: measured, and as claimed. `differs`: measured, and not. Else: not measured, and why. */
export type FindingState = 'ok' | 'differs' | 'not-available';

export type FindingName =
  | 'samples'
  | 'order'
  | 'rule'
  | 'ledger'
  | 'period-mode'
  | 'model'
  | 'phases'
  | 'intervals'
  | 'throttling';

export type Finding = {
  readonly name: FindingName;
  readonly state: FindingState;
  /** One sentence with the numbers that the state rests on. */
  readonly sentence: string;
};

export type CaseReport = CaseSetup & {
  /** Name as opened; null where the event was not recorded. */
  readonly opened: string | null;
  /** Notices of what the recording substituted, lowered or left out. */
  readonly notices: readonly string[];
  readonly findings: readonly Finding[];
  readonly numbers: CaseNumbers | null;
};

/** The machine, without names of hosts, users or files. */
export type MachineFacts = {
  readonly kernel: string;
  readonly arch: string;
  readonly cpu: string;
  readonly onlineCpus: number;
  /** A hypervisor says that it is there; null where the CPU's flags don't tell. */
  readonly isVirtual: boolean | null;
  readonly libc: string;
  readonly node: string;
  /** Folders of `/sys/bus/event_source/devices`. */
  readonly pmus: readonly string[];
  /** `caps/pmu_name`, `caps/max_precise` and so on of the CPU's PMU. */
  readonly pmuCaps: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, number | null>>;
  readonly features: Readonly<Record<string, boolean>>;
};

/** The document of `perf-ts doctor --selftest -o`. */
export type SelftestReport = {
  readonly schema: 'perf-ts/selftest@1';
  readonly recorder: string;
  readonly machine: MachineFacts;
  readonly cases: readonly CaseReport[];
  /** The rule of each event by the strongest evidence of its cases. */
  readonly rules: Readonly<Record<string, PeriodRule>>;
  readonly ok: number;
  readonly differs: number;
  readonly notAvailable: number;
};
