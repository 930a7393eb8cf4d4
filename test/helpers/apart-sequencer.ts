import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests in which perf-ts samples all CPUs and asks for build IDs, as it does without -B. */
const ALL_CPUS = [
  'export/recordings-round-trip',
  'live/attach',
  'live/bad-input',
  'live/command-notices',
  'live/compressed-recording',
  'live/off-cpu',
  'live/output-safety',
  'live/perf-agreement',
  'live/perf-agreement-readers',
  'live/perf-invocations',
  'live/perf-reads-ours',
  'live/permission-lines',
  'live/record-stat',
  'live/ring-kinds',
  'live/sideband',
  'live/top',
];
/** Tests in which perf records. */
const PERF_RECORDS = [
  'live/lbr-callchain',
  'live/perf-agreement-options',
  'live/perf-dump',
  'live/script-text',
  'perf-data/perf-compatibility',
  'perf-data/perf-recordings',
  'read/perf-attrs',
  'tracepoint/live',
  'unwind/programs',
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
  const name = /([^/]+\/[^/]+)\.test\.ts$/.exec(path)?.[1] ?? '';
  if (ALL_CPUS.includes(name)) return 0;
  return PERF_RECORDS.includes(name) ? 2 : 1;
}
