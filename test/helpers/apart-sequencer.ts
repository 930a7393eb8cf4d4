import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests in which perf-ts samples all CPUs for long. */
const ALL_CPUS = ['top', 'attach', 'off-cpu', 'ring-kinds', 'bad-input'];
/** Tests in which perf records. */
const PERF_RECORDS = [
  'perf-agreement',
  'perf-agreement-options',
  'perf-agreement-readers',
  'perf-attrs',
  'perf-dump',
  'perf-reads-ours',
  'perf-recordings',
  'copied-stacks',
  'lbr-callchain',
  'sample-fields',
  'script-text',
];

/**
 * The ones first and the others last. A recorder of all CPUs that asks for build IDs makes Linux 6.18
 * mark mappings in everybody's records as having one (`perf-event/mmap-build-id.ts`), and perf 6.1
 * aborts on such a record.
 */
export class ApartSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted
      .map((file, index) => ({ file, index, rank: rankOf(file.moduleId) }))
      .sort((a, b) => a.rank - b.rank || a.index - b.index)
      .map(({ file }) => file);
  }
}

function rankOf(path: string): number {
  const name = /([^/]+)\.test\.ts$/.exec(path)?.[1] ?? '';
  if (ALL_CPUS.includes(name)) return 0;
  return PERF_RECORDS.includes(name) ? 2 : 1;
}
