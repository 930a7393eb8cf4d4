import { spawnSync } from 'node:child_process';

/**
 * Runs `perf record -q` with these words and returns what it wrote to stdout. `cpu` binds it and its
 * command to one CPU. Throws with its status, signal and messages where it fails.
 */
export function runPerfRecord(words: readonly string[], { cpu }: { cpu?: number } = {}): Buffer {
  const line = ['perf', 'record', '-q', ...words];
  const [file, ...args] = cpu === undefined ? line : ['taskset', '-c', String(cpu), ...line];
  const run = spawnSync(file, args, { maxBuffer: 2 ** 30 });
  if (run.status === 0) return run.stdout;
  const end = run.error?.message ?? `status ${run.status}, signal ${run.signal}`;
  throw new Error(`${[file, ...args].join(' ')}: ${end}; ${run.stderr}`);
}
