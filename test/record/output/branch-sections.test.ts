import { describe, expect, it } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { FEATURE } from '../../../src/formats/perf-data/features.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import type { PmuDescription } from '../../../src/kernel/events/event-sources.ts';
import type { RecordSettings } from '../../../src/options/record.ts';
import { branchMark, branchSections } from '../../../src/record/output/feature-data.ts';
import { perfDataFile } from '../../helpers/record-builder.ts';
import { planOf } from '../../system/kernel/fake-kernel.ts';

function pmu(name: string, caps: Record<string, string>, cpus: string | null = null) {
  const none = new Map<string, string>();
  const description: PmuDescription = {
    name,
    type: 4,
    formats: none,
    events: none,
    caps: new Map(Object.entries(caps)),
    cpumask: null,
    cpus,
  };
  return description;
}

/** The PMUs in the header of such a recording. */
function described(callGraph: 'fp' | 'lbr', pmus: readonly PmuDescription[]) {
  const sections = branchSections(planOf('cycles', { callGraph }), { pmus });
  const file = perfDataFile({
    attrs: [],
    records: [],
    features: sections.map(({ feature, bytes }) => [feature, bytes] as const),
  });
  return openPerfData(memorySource(file)).features.pmuCapabilities;
}

describe('how many branches the CPU records', () => {
  const cpu = pmu('cpu', { branches: '32\n', max_precise: '3\n' });

  it('the depth of branch stacks is in the header of a recording of branches', () => {
    expect(described('lbr', [cpu, pmu('power', { event: '1' })])).toEqual([
      {
        pmu: 'cpu',
        capabilities: [
          { name: 'branches', value: '32' },
          { name: 'max_precise', value: '3' },
        ],
      },
    ]);
  });

  it('the branch count is stored for each core type', () => {
    const pmus = [pmu('cpu_core', { branches: '32' }, '0-7'), pmu('cpu_atom', {}, '8-15')];
    expect(described('lbr', pmus)).toEqual([
      { pmu: 'cpu_core', capabilities: [{ name: 'branches', value: '32' }] },
    ]);
  });

  it("the mark for perf report's branch view is set with -b only, not with lbr stacks", () => {
    const marks = (options: RecordSettings) =>
      branchMark(planOf('cycles', options)).map(({ feature, bytes }) => [feature, bytes.length]);
    const fields = { branches: ['any'] };
    expect(marks({ fields })).toEqual([[FEATURE.BRANCH_STACK, 0]]);
    expect(marks({ callGraph: 'lbr', fields })).toEqual([[FEATURE.BRANCH_STACK, 0]]);
    expect([marks({ callGraph: 'lbr' }), marks({ callGraph: 'fp' })]).toEqual([[], []]);
  });

  it('the branch count is left out of recordings without branches', () => {
    expect(described('fp', [cpu])).toBe(null);
  });
});
