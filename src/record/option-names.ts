import { checkOptionNames } from '../base/option-names.ts';
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
  cache: true,
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

/** Throws UsageError for a name that is no option; `further`: names that the caller takes beside them. */
export function checkRecordOptionNames(options: object, further: readonly string[] = []): void {
  checkOptionNames(options, [...Object.keys(RECORD_OPTIONS), ...further], 'a recording');
}
