import type { DriverRule } from '../profile/types.ts';
import { isCountedInSoftware } from './controller.ts';

/**
 * The interval that a kernel driver reports in `PERF_SAMPLE_PERIOD`, in frequency mode, by the kernel's own
 * sources. One thing decides it: whether the interrupt handler copies `hw.last_period` into the sample
 * before or after it arms the counter for the next interval, which overwrites it:
 *
 *     perf_sample_data_init(&data, 0, hwc->last_period); set_period(event);    'elapsed'
 *     set_period(event); perf_sample_data_init(&data, 0, hwc->last_period);    'next'
 *
 * The order is a property of the driver and of its release. Each row names the functions that were read and, for each
 * release that changed the order, the commit. Every row was read in the sources of all of these releases that have its
 * functions: 3.10.0-1160.el7, 4.15.18, 4.18.0-147.el8, 5.15.16, 5.17-rc5, 5.19, 6.1.192, 6.12.117, 6.13.7, 6.14, 6.17,
 * 6.18.2 and 6.19. 5.18, 6.15 and 6.16 were not: what they have follows from when a commit was made. Nothing here is
 * guessed: where header and table leave the driver or its release open, there is no rule, and the samples
 * themselves must tell (`period-rule.ts`).
 */
type DriverRow = {
  /** The name that reports print. */
  readonly title: string;
  /** Ascending by release; the last one whose release is not newer than the kernel holds. */
  readonly since: readonly RuleSince[];
};

type RuleSince = {
  /** First mainline release with this order; null: the oldest. */
  readonly release: Release | null;
  /** Null: drivers that go by this name differ. */
  readonly rule: DriverRule['rule'] | null;
  /**
   * `event->count` is brought up to date only after the sample has been written: the count in a sample
   * lacks the interval that the sample ends.
   */
  readonly countsLag?: true;
};

type Release = readonly [major: number, minor: number];

/**
 * v6.16, 1734d98fbcce "perf/arch: Record sample last_period before updating on the x86 and PowerPC platforms", of 9 April
 * 2025, when 6.15-rc1 was out: x86 and PowerPC. 6.14 was read without it, 6.17 with it.
 */
const RECORDED_BEFORE_UPDATE: Release = [6, 16];
/**
 * v6.14, 3c00ed344cef "perf/x86/intel/ds: Factor out functions for PEBS records processing", of 2 December 2024, when
 * 6.13-rc1 was out. 6.13.7 was read without it, 6.14 with it.
 */
const PEBS_UPDATED_LAST: Release = [6, 14];
/**
 * v5.19, ada543459cab "perf/x86/amd: Add AMD Fam19h Branch Sampling support", merged for it on 5 April 2022, when 5.18-rc1
 * was out: x86_pmu_handle_irq. 5.17-rc5 was read without it, 5.19 with it. Of the same release is 7685665c390d
 * "perf/x86/amd/core: Add PerfMonV2 overflow handling", whose own handler has the old order.
 */
const ARMED_BEFORE_RECORDED: Release = [5, 19];

const ALWAYS = (rule: DriverRule['rule']): DriverRow['since'] => [{ release: null, rule }];
/** arch/x86/events/core.c, x86_pmu_handle_irq. */
const COMMON_X86_HANDLER: DriverRow['since'] = [
  { release: null, rule: 'elapsed' },
  { release: ARMED_BEFORE_RECORDED, rule: 'next' },
  { release: RECORDED_BEFORE_UPDATE, rule: 'elapsed' },
];

const DRIVERS = {
  // kernel/events/core.c, perf_swevent_event and perf_swevent_set_period; kprobe and uprobe PMUs end there too, by perf_tp_event.
  software: { title: 'counted in software', since: ALWAYS('next') },
  // arch/x86/events/intel/core.c, intel_pmu_handle_irq and handle_pmi_common; intel/knc.c, knc_pmu_handle_irq.
  intel: {
    title: 'Intel without PEBS',
    since: [
      { release: null, rule: 'next' },
      { release: RECORDED_BEFORE_UPDATE, rule: 'elapsed' },
    ],
  },
  // arch/x86/events/intel/ds.c, __intel_pmu_pebs_event and, since 6.14, __intel_pmu_pebs_last_event.
  pebs: {
    title: 'Intel PEBS',
    since: [
      { release: null, rule: 'next' },
      { release: PEBS_UPDATED_LAST, rule: 'elapsed', countsLag: true },
    ],
  },
  // intel/p6.c and core_pmu of intel/core.c, which both have the common handler.
  p6: { title: 'Intel before Core 2', since: COMMON_X86_HANDLER },
  // amd/core.c, amd_pmu_handle_irq: AMD up to Zen 3, Hygon, and guests of newer ones.
  amd: { title: 'AMD before PerfMonV2', since: COMMON_X86_HANDLER },
  // amd/core.c, amd_pmu_v2_handle_irq. Kernels before it use the common handler, and so do some that took over but a part of 5.19.
  amdV2: {
    title: 'AMD PerfMonV2',
    since: [
      { release: null, rule: 'elapsed' },
      { release: ARMED_BEFORE_RECORDED, rule: 'elapsed' },
    ],
  },
  // Rows that AMD before and with PerfMonV2 have in common.
  anyAmd: {
    title: 'AMD',
    since: [
      { release: null, rule: 'elapsed' },
      { release: ARMED_BEFORE_RECORDED, rule: null },
      { release: RECORDED_BEFORE_UPDATE, rule: 'elapsed' },
    ],
  },
  // No CPU is named: what Intel and AMD have in common.
  x86: {
    title: 'x86',
    since: [
      { release: null, rule: null },
      { release: RECORDED_BEFORE_UPDATE, rule: 'elapsed' },
    ],
  },
  preciseX86: {
    title: 'x86 PEBS or IBS',
    since: [
      { release: null, rule: null },
      { release: PEBS_UPDATED_LAST, rule: 'elapsed', countsLag: true },
    ],
  },
  // arch/x86/events/amd/ibs.c, perf_ibs_handle_irq.
  ibs: { title: 'AMD IBS', since: ALWAYS('elapsed') },
  // arch/x86/events/zhaoxin/core.c, zhaoxin_pmu_handle_irq.
  zhaoxin: { title: 'Zhaoxin', since: ALWAYS('elapsed') },
  // arch/x86/events/intel/p4.c, p4_pmu_handle_irq.
  p4: { title: 'Pentium 4', since: ALWAYS('elapsed') },
  // drivers/perf/arm_pmuv3.c (arch/arm64/kernel/perf_event.c up to 6.4), armv8pmu_handle_irq; the handlers of ARM v6,
  // v7 and xscale; drivers/perf/apple_m1_cpu_pmu.c, m1_pmu_handle_irq.
  arm: { title: 'ARM', since: ALWAYS('elapsed') },
  // drivers/perf/riscv_pmu_sbi.c, pmu_sbi_ovf_handler.
  riscv: { title: 'RISC-V', since: ALWAYS('elapsed') },
  // arch/{loongarch,mips}/kernel/perf_event*.c, handle_associated_event.
  mips: { title: 'MIPS or LoongArch', since: ALWAYS('elapsed') },
  // arch/powerpc/perf/core-book3s.c and core-fsl-emb.c, record_and_restart.
  powerpc: {
    title: 'PowerPC',
    since: [
      { release: null, rule: 'next' },
      { release: RECORDED_BEFORE_UPDATE, rule: 'elapsed' },
    ],
  },
  // arch/s390/kernel/perf_cpum_sf.c, __hw_perf_event_init, clears attr.freq in the kernel: all periods are equal.
  s390: { title: 's390 sampling facility', since: ALWAYS('elapsed') },
} as const satisfies Record<string, DriverRow>;

type DriverName = keyof typeof DRIVERS;

/** The machine by a recording's header; null: not in the header. */
export type SampledMachine = {
  /** `uname -m`. */
  readonly arch: string | null;
  /** `uname -r`. */
  readonly kernel: string | null;
  /** `AuthenticAMD,25,17,1`. */
  readonly cpuId: string | null;
  /** Name of the model in /proc/cpuinfo. */
  readonly cpuDescription: string | null;
  /** PMUs of the machine by their `perf_event_attr.type`. */
  readonly pmus: readonly { readonly type: number; readonly name: string }[];
};

/** Fields of `perf_event_attr` that decide which driver samples an event. */
export type SampledAttr = {
  readonly type: number;
  readonly config: bigint;
  readonly preciseIp: number;
};

/** The rule of the driver that sampled an event; null where the header leaves it open. */
export function findDriverRule(machine: SampledMachine, attr: SampledAttr): DriverRule | null {
  const name = findDriver(machine, attr);
  if (name === null) return null;
  const { title, since }: DriverRow = DRIVERS[name];
  const [oldest] = since;
  if (since.length === 1 && oldest.rule !== null) {
    return { driver: title, rule: oldest.rule, countsLag: false };
  }
  const release = parseRelease(machine.kernel);
  if (release === null) return null;
  const isIn = (first: Release | null) => first === null || compareReleases(release, first) >= 0;
  const last = since.findLastIndex((row) => isIn(row.release));
  const change = since[last + 1]?.release ?? null;
  const takenOver = takenOverUntil(machine.kernel ?? '', release);
  if (change !== null && compareReleases(change, takenOver) <= 0) return null;
  const { rule, countsLag = false } = since[last];
  if (rule === null) return null;
  return { driver: `${title}, Linux ${release.join('.')}`, rule, countsLag };
}

/** Types below are the kernel's, those from here on are PMUs of the machine. */
const FIRST_PMU_TYPE = 6;
/** `attr.config` of HARDWARE and HW_CACHE events has the PMU's type up here, on hybrid machines. */
const PMU_TYPE_SHIFT = 32n;

function findDriver(machine: SampledMachine, attr: SampledAttr): DriverName | null {
  if (isCountedInSoftware(attr.type)) return 'software';
  const type = attr.type < FIRST_PMU_TYPE ? Number(attr.config >> PMU_TYPE_SHIFT) : attr.type;
  const pmu = machine.pmus.find((each) => each.type === type)?.name ?? null;
  if (attr.type >= FIRST_PMU_TYPE) {
    if (pmu === 'kprobe' || pmu === 'uprobe') return 'software';
    if (pmu === null || !isCorePmu(pmu)) return pmu?.startsWith('ibs_') ? 'ibs' : null;
  }
  return findCoreDriver(machine, attr.preciseIp > 0);
}

/** Whether a PMU's name is that of one that counts what cores do. */
function isCorePmu(name: string): boolean {
  return /^(?:cpu|cpu_core|cpu_atom|cpu_lowpower|cpum_sf|arm(?:v\d|_cortex|_pmu).*|apple_.*_pmu)$/.test(
    name,
  );
}

function findCoreDriver(machine: SampledMachine, isPrecise: boolean): DriverName | null {
  const { arch } = machine;
  if (arch === null) return null;
  if (/^(?:x86_64|i[3-6]86|amd64)$/.test(arch)) return findX86Driver(machine, isPrecise);
  if (/^(?:aarch64|arm)/.test(arch)) return 'arm';
  if (/^riscv/.test(arch)) return 'riscv';
  if (/^(?:mips|loongarch)/.test(arch)) return 'mips';
  if (/^ppc/.test(arch)) return 'powerpc';
  // sparc bends the interval in flight at a tick, which no period tells: no rule holds there.
  return /^s390/.test(arch) ? 's390' : null;
}

const FAMILY_P4 = 15;
const FAMILY_P6 = 6;
/** Core Solo and Duo, whose counters are still of version 1. */
const LAST_MODEL_BEFORE_CORE_2 = 14;

function findX86Driver(machine: SampledMachine, isPrecise: boolean): DriverName | null {
  const { cpuId, cpuDescription } = machine;
  const [, vendor = '', family = '', model = ''] = /^([^,]*),(\d+),(\d+)/.exec(cpuId ?? '') ?? [];
  if (/Intel/.test(vendor)) {
    if (Number(family) === FAMILY_P4) return 'p4';
    if (Number(family) === FAMILY_P6 && Number(model) <= LAST_MODEL_BEFORE_CORE_2) return 'p6';
    return isPrecise ? 'pebs' : 'intel';
  }
  if (/AMD|Hygon/.test(vendor)) {
    return isPrecise ? 'ibs' : findAmdDriver(machine, Number(family), Number(model));
  }
  if (/Shanghai|Centaur/.test(vendor)) return 'zhaoxin';
  if (cpuId === null && cpuDescription === null) return isPrecise ? 'preciseX86' : 'x86';
  // Without a CPUID the model's name tells Intel from AMD, but not how old AMD's is.
  if (/^Intel/.test(cpuDescription ?? '') && !/Pentium\(R\) (?:4|D)/.test(cpuDescription ?? '')) {
    return isPrecise ? 'pebs' : 'intel';
  }
  if (!/^AMD/.test(cpuDescription ?? '')) return null;
  return isPrecise ? 'ibs' : 'anyAmd';
}

const FAMILY_ZEN_3_AND_4 = 0x19;
/** Models of family 19h that are Zen 4, first and last, by bsp_init_amd in arch/x86/kernel/cpu/amd.c. */
const ZEN_4_MODELS = [
  [0x10, 0x1f],
  [0x60, 0xaf],
] as const;

/**
 * Zen 4 and later have PerfMonV2, but a guest may not be shown it. A machine that lists IBS is none: a
 * hypervisor hides that first.
 */
function findAmdDriver({ pmus }: SampledMachine, family: number, model: number) {
  const hasV2 =
    family > FAMILY_ZEN_3_AND_4 ||
    (family === FAMILY_ZEN_3_AND_4 &&
      ZEN_4_MODELS.some(([first, last]) => model >= first && model <= last));
  if (!hasV2) return 'amd';
  return pmus.some(({ name }) => name.startsWith('ibs_op')) ? 'amdV2' : 'anyAmd';
}

function parseRelease(kernel: string | null): Release | null {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(kernel ?? '') ?? [];
  return major === undefined ? null : [Number(major), Number(minor)];
}

function compareReleases(a: Release, b: Release): number {
  return a[0] === b[0] ? a[1] - b[1] : a[0] - b[0];
}

/**
 * Enterprise kernels keep the number of an old release and take over perf of newer ones, up to the one
 * named here; `NEVER_ENDS` where they still do. RHEL 7 ended before any of these changes.
 */
function takenOverUntil(kernel: string, release: Release): Release {
  const [, rhel] = /\.el(\d+)(?:[._]|$)/.exec(kernel) ?? [];
  if (rhel !== undefined && Number(rhel) < 8) return release;
  if (rhel !== undefined) return rhel === '8' ? LAST_IN_RHEL_8 : NEVER_ENDS;
  // Alibaba Cloud Linux, Anolis, openEuler and TencentOS.
  if (/\.(?:al|an|oe|tl)\d/.test(kernel)) return NEVER_ENDS;
  if (!/-default$/.test(kernel)) return release;
  return compareReleases(release, SUSE_15_6) >= 0 ? NEVER_ENDS : SUSE_15_6;
}

const NEVER_ENDS: Release = [Number.POSITIVE_INFINITY, 0];
const LAST_IN_RHEL_8: Release = [6, 8];
const SUSE_15_6: Release = [6, 4];
