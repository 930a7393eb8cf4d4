import { printable } from '../../base/printable.ts';
import { callStackRecords } from '../../counting/cpu/call-stack-records.ts';
import { type CpuCapabilities, generalCounters } from '../../counting/cpu/capabilities.ts';
import type { Fact } from '../../counting/cpu/leaf-reader.ts';
import type { CoreKind } from '../../counting/processor/cores.ts';
import type { CpuReport } from '../../counting/processor/cpu-report.ts';
import { formatTable } from '../render/table.ts';

type Style = { readonly colour: boolean };

/** One kind of core: who it is, what it counts, and each fact with its register. */
export function coreLines({ capabilities, arm }: CoreKind, style: Style): string[] {
  if (capabilities === null) {
    if (arm === null) return ['a processor without CPUID or MIDR_EL1'];
    const { implementer, core, part, variant, revision } = arm;
    return [
      `${implementer} ${core ?? `part 0x${part.toString(16)}`} r${variant}p${revision} (MIDR_EL1)`,
    ];
  }
  const facts = capabilities.facts.map(({ name, value, where }) => [name, shown(value), where]);
  return [
    printable(headline(capabilities)),
    '',
    ...formatTable(['', 'what'], summary(capabilities), style),
    ...eventTable(capabilities, style),
    '',
    ...formatTable(['fact', 'value', 'where'], facts, style),
  ];
}

function headline({ identity, hypervisor, hybrid }: CpuCapabilities): string {
  const { brand, vendorId, family, model, stepping } = identity;
  const parts = [brand === '' ? 'unnamed processor' : brand];
  parts.push(`${vendorId} family ${family} model ${model} stepping ${stepping}`);
  if (hybrid !== null) parts.push(`${hybrid.kind} core (${hybrid.name})`);
  if (hypervisor !== null) parts.push(`under ${hypervisor.name}`);
  return parts.join(', ');
}

function summary(capabilities: CpuCapabilities): string[][] {
  const { intel, amd, branchRecords, timeStampRate } = capabilities;
  const { count, widthBits } = generalCounters(capabilities);
  const rows = [['general counters', count === 0 ? 'none shown' : `${count} of ${widthBits} bits`]];
  if (intel !== null) {
    const fixed = intel.fixed.map(({ number, event }) => `${number} ${event}`).join(', ');
    rows.push([
      'fixed counters',
      intel.fixed.length === 0
        ? 'none'
        : `${intel.fixed.length} of ${intel.fixedWidthBits} bits: ${fixed}`,
    ]);
    if (intel.scope === 'all cores') {
      rows.push(['', 'these are what all cores have in common; this one may have more']);
    }
    rows.push(['PEBS', pebsOf(intel.pebs)]);
  }
  if (amd !== null) {
    const sets: [string, { count: number } | null][] = [
      ['northbridge counters', amd.northbridge],
      [`L${amd.cache?.level ?? 3} cache counters`, amd.cache],
      ['memory controller counters', amd.memoryControllers],
    ];
    for (const [name, set] of sets) rows.push([name, set === null ? 'none' : String(set.count)]);
    rows.push(['IBS', amd.ibs === null ? 'no' : amd.ibs.join(', ')]);
    rows.push(['branch records', amd.lbrEntries === 0 ? 'no' : `${amd.lbrEntries} entries`]);
  } else {
    rows.push([
      'branch records',
      branchRecords === null
        ? 'not architectural: see caps/branches of the PMU'
        : `${branchRecords.depths.join(', ')} entries; ${branchRecords.features.join(', ')}`,
    ]);
  }
  const { has, reason } = callStackRecords(capabilities);
  const answer = has === null ? 'not known' : has ? 'yes' : 'no';
  rows.push(['call stacks in them (lbr)', `${answer} (${reason})`]);
  if (timeStampRate !== null) {
    const { hz, where } = timeStampRate;
    rows.push(['time stamp counter', `${(hz / 1e6).toFixed(3)} MHz (${where})`]);
  }
  return rows;
}

function pebsOf({
  hasDebugStore,
  general,
  fixed,
}: NonNullable<CpuCapabilities['intel']>['pebs']): string {
  if (general !== null || fixed !== null) {
    return `general counters ${list(general)}, fixed counters ${list(fixed)}`;
  }
  return hasDebugStore
    ? 'there is a debug store; on which counters caps/max_precise of the PMU and the kernel know'
    : 'no debug store';
}

function list(numbers: readonly number[] | null): string {
  return numbers === null || numbers.length === 0 ? 'none' : numbers.join(', ');
}

function eventTable({ intel }: CpuCapabilities, style: Style): string[] {
  if (intel === null) return [];
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(2, '0');
  const rows = intel.events.map(({ name, event, unitMask, isAvailable }) => [
    name,
    `${hex(event)}H`,
    `${hex(unitMask)}H`,
    isAvailable ? 'yes' : 'no',
  ]);
  return ['', ...formatTable(['architectural event', 'event', 'umask', 'there'], rows, style)];
}

function shown(value: Fact['value']): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return printable(value);
  return value > 0xffff ? `0x${value.toString(16)}` : String(value);
}

/** Lines on what the kernel registered, who may read counters, and why there are none. */
export function pmuLines({ pmus, userReads, whyNone }: CpuReport, style: Style): string[] {
  const cell = (value: number | string | null) => (value === null ? '-' : printable(String(value)));
  const rows = pmus.map(({ name, type, kind, cpus, maxPrecise, branches }) => [
    printable(name),
    String(type),
    kind,
    cell(cpus),
    cell(maxPrecise),
    cell(branches),
  ]);
  const header = ['PMU', 'type', 'kind', 'CPUs', 'precise', 'branches'];
  return [
    ...formatTable(header, rows, { ...style, right: [1] }),
    '',
    userReads === null
      ? 'user space reads no counters: there is no PMU with them'
      : `user space reads counters: ${READS[userReads.allowed]} (${userReads.where})`,
    ...(whyNone === null
      ? []
      : ['', `no hardware counters: ${printable(whyNone.reason)}`, ...whyNone.fix.map(indent)]),
  ];
}

const READS = {
  never: 'never',
  mapped: 'those of an event that it has mapped',
  always: 'always, also without an event',
} as const;

function indent(line: string): string {
  return `  ${line}`;
}
