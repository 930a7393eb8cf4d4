import { UsageError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-names.ts';
import type { RecordOptions } from './record-options.ts';

/** A name left out here, or one too many, does not compile. */
const RECORD_OPTIONS: Readonly<Record<keyof RecordOptions, true>> = {
  command: true,
  pids: true,
  tids: true,
  systemWide: true,
  cpus: true,
  events: true,
  freq: true,
  count: true,
  strictFreq: true,
  callGraph: true,
  counts: true,
  exitCounts: true,
  stat: true,
  only: true,
  fields: true,
  samples: true,
  offCpu: true,
  wakeUps: true,
  switches: true,
  namespaces: true,
  cgroups: true,
  overwrite: true,
  perThread: true,
  cgroup: true,
  buildIds: true,
  programSymbols: true,
  inherit: true,
  output: true,
  compressionLevel: true,
  maxBytes: true,
  durationMs: true,
  delayMs: true,
  startDisabled: true,
  control: true,
  switchOutput: true,
  switchMaxFiles: true,
  ringPages: true,
  clock: true,
  nodeFlags: true,
  readMeanwhile: true,
  attachJs: true,
  jitdump: true,
  env: true,
  onNotice: true,
  signal: true,
  user: true,
  asRoot: true,
};

/**
 * Throws UsageError for a name that no option has: JavaScript lets it through, and the recording would
 * be another one than was asked for. `further`: names that the caller takes beside them.
 */
export function checkOptionNames(options: object, further: readonly string[] = []): void {
  const names = [...Object.keys(RECORD_OPTIONS), ...further];
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw new UsageError(
      `${JSON.stringify(name)} is no option of a recording`,
      nearest === undefined ? [] : [`did you mean ${nearest}?`],
    );
  }
}
