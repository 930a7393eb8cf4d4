import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { eventSelectLayout, type SelectVendor } from '../../kernel/events/event-select-layouts.ts';
import {
  type EventSources,
  isCorePmu,
  type PmuDescription,
} from '../../kernel/events/event-sources.ts';
import {
  encodeRawCounter,
  fullRawCounter,
  type RawCounterSpec,
} from '../../kernel/events/raw-counter.ts';

/** The PMU whose counters raw event numbers are meant for. */
export type RawTarget = {
  /** The PMU of the cores; null where the kernel has none. */
  readonly pmu: PmuDescription | null;
  /** The layout where sysfs has no `format/`. */
  readonly vendor: SelectVendor;
};

/**
 * The event as `-e` takes it: `cpu/config=0x412e/u`, or `r412e:u` where the kernel has no PMU to
 * name. Throws RangeError for a value that does not fit, UsageError for what counts nothing.
 */
export function rawEventText(spec: RawCounterSpec, { pmu, vendor }: RawTarget): string {
  const { user, kernel } = fullRawCounter(spec);
  if (!user && !kernel) {
    throw new UsageError('user and kernel are both false: such a counter counts nothing');
  }
  const formats = pmu === null || pmu.formats.size === 0 ? null : pmu.formats;
  const values = encodeRawCounter(spec, formats ?? eventSelectLayout(vendor).formats);
  const modifier = user && kernel ? '' : user ? 'u' : 'k';
  if (pmu === null) {
    return `r${values.config.toString(16)}${modifier === '' ? '' : `:${modifier}`}`;
  }
  const terms = [`config=0x${values.config.toString(16)}`];
  if (values.config1 !== 0n) terms.push(`config1=0x${values.config1.toString(16)}`);
  return `${pmu.name}/${terms.join(',')}/${modifier}`;
}

/**
 * The PMU of the cores, or the one that is named where there are several kinds. Throws UsageError
 * for a name of none, and for no name where one has to be chosen.
 */
export function chooseCorePmu(sources: EventSources, name: string | undefined) {
  const cores = sources.pmus.filter(isCorePmu);
  if (name === undefined) {
    if (cores.length <= 1) return cores[0] ?? null;
    throw new UsageError('this machine has several kinds of cores: pmu is missing', [
      `one of ${cores.map((pmu) => pmu.name).join(', ')}`,
    ]);
  }
  const found = cores.find((pmu) => pmu.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`pmu: '${printable(name)}' is no PMU of this machine's cores`, [
    cores.length === 0
      ? 'it has none: perf-ts cpu says why'
      : `they are ${cores.map((pmu) => pmu.name).join(', ')}`,
  ]);
}
