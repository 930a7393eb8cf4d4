import { describe, expect, it } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { openPerfData, type PerfData } from '../../../src/formats/perf-data/reader.ts';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { coreTypesOf } from '../../../src/read/facts/core-types.ts';
import { coreTypeSections } from '../../../src/record/output/feature-data.ts';
import { perfDataFile } from '../../helpers/record-builder.ts';
import { ARM, BIG_LITTLE, fakeSources, HYBRID } from '../../kernel/events/fake-machines.ts';

/** The kinds of cores that a reader finds in the header of a recording on such a machine. */
function described(sources: EventSources): Record<string, number[]> {
  const features = coreTypeSections(sources).map(({ feature, bytes }) => [feature, bytes] as const);
  const data = openPerfData(memorySource(perfDataFile({ attrs: [], records: [], features })));
  const { coreTypes = [] } = coreTypesOf(data);
  return Object.fromEntries(coreTypes.map(({ name, cpus }) => [name, [...cpus]]));
}

describe('the kinds of cores', () => {
  it('core types are in the header, with their CPUs', () => {
    expect(described(HYBRID)).toEqual({ cpu_core: [0, 1, 2, 3], cpu_atom: [4, 5, 6, 7] });
    expect(described(BIG_LITTLE)).toEqual({
      armv8_cortex_a53: [0, 1, 2, 3],
      armv8_cortex_a72: [4, 5],
    });
  });

  it('core types are not in the header of a machine with one kind', () => {
    expect(described(ARM)).toEqual({});
  });

  it('core types have no CPUs as long as all of them are offline', () => {
    const sources = fakeSources({
      cpu_core: { type: 4, cpus: '0-3' },
      cpu_atom: { type: 10, cpus: '' },
    });
    expect(described(sources)).toEqual({});
  });

  it('core types are read as far as there can be any, and without damaged lists', () => {
    const many = Array.from({ length: 1000 }, (_, i) => ({ pmu: `cpu_${i}`, cpus: '0-65535' }));
    const read = (hybridPmus: readonly { pmu: string; cpus: string }[]) =>
      coreTypesOf({ features: { hybridPmus } as unknown as PerfData['features'] }).coreTypes;
    expect(read(many)).toHaveLength(64);
    const damaged = [
      { pmu: 'cpu_core', cpus: '0-3' },
      { pmu: 'cpu_atom', cpus: '4-' },
    ];
    expect(read(damaged)).toBeUndefined();
  });

  it('core types of more CPUs than 1024 are read', () => {
    const sources = fakeSources({
      cpu_core: { type: 4, cpus: '0-1023' },
      cpu_atom: { type: 10, cpus: '1024-1100' },
    });
    expect(described(sources).cpu_atom).toHaveLength(77);
  });
});
