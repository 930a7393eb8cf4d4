import { parseCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import { CLOCK_IDS, type ClockName } from '../../kernel/perf-event/clock-ids.ts';
import { checkCallGraph } from '../../record/call-graph.ts';
import { FASTEST_LEVEL } from '../../record/compression.ts';
import type { CallGraph, RecordOptions, SampleFieldOptions } from '../../record/record-options.ts';
import { parseRingPages } from '../../record/ring-size.ts';
import { processesOfUser } from '../../tools/top/processes-of-user.ts';
import type { ReadingFlags } from '../shared/load.ts';
import { byteSize, positiveNumber, taskIds, wholeNumber } from '../shared/option-values.ts';
import { REFUSED } from './perf-record-options.ts';

/** The options as commander hands them over. */
export type RecordFlags = {
  event?: string[];
  freq?: string;
  count?: string;
  strictFreq?: boolean;
  g?: boolean;
  callGraph?: string;
  pid?: string;
  tid?: string;
  uid?: string;
  allCpus?: boolean;
  cpu?: string;
  user?: string;
  asRoot?: boolean;
  nodeFlags?: boolean;
  attachJs?: boolean;
  jitdump?: boolean;
  counts?: boolean;
  stat?: boolean;
  exitCounts?: boolean;
  delay?: string;
  inherit: boolean;
  maxSize?: string;
  archive?: boolean;
  view?: boolean;
  port?: string;
  open?: boolean;
  /** Of `view --live` only: how the page reads. */
  reading?: ReadingFlags;
  mmapPages?: string;
  clockid?: string;
  output?: string;
  duration?: string;
  ready?: string;
  readyTimeout?: string;
  load?: string;
  /** True where the option stands alone. */
  untilIdle?: string | true;
  failOnLoss?: string;
  quiet?: boolean;
  verbose?: boolean;
  dryRun?: boolean;
  json?: boolean;
  compressionLevel?: string | true;
  threads?: string | true;
  aio?: string | true;
  allUser?: boolean;
  allKernel?: boolean;
  data?: boolean;
  physData?: boolean;
  dataPageSize?: boolean;
  codePageSize?: boolean;
  weight?: boolean;
  /** True where the option stands alone. */
  userRegs?: string | true;
  intrRegs?: string | true;
  branchAny?: boolean;
  branchFilter?: string;
  rawSamples?: boolean;
  switchEvents?: boolean;
  namespaces?: boolean;
  allCgroups?: boolean;
  samples?: boolean;
  control?: string;
  switchOutput?: string | true;
  switchMaxFiles?: string;
  offCpu?: string | true;
  wakeUps?: boolean;
  perThread?: boolean;
  cgroup?: string;
  overwrite?: boolean;
  buildid?: boolean;
  buildidCache?: boolean;
};

/** Turns the command line into options; throws UsageError naming the option that is wrong. */
export function readOptions(command: string[], flags: RecordFlags): RecordOptions {
  refuse(flags);
  const freq =
    flags.freq === undefined || flags.freq === 'max' ? flags.freq : wholeNumber('-F', flags.freq);
  return {
    ...(command.length > 0 && { command }),
    ...(flags.pid !== undefined && { pids: taskIds('-p', flags.pid) }),
    ...(flags.tid !== undefined && { tids: taskIds('-t', flags.tid) }),
    ...readUser(flags),
    ...(isSystemWide(flags) && { systemWide: true }),
    ...(flags.cpu !== undefined && { cpus: parseCpuList(flags.cpu) }),
    ...(flags.event !== undefined && { events: flags.event }),
    ...(freq !== undefined && { freq }),
    ...(flags.count !== undefined && { count: wholeNumber('-c', flags.count) }),
    ...(flags.strictFreq && { strictFreq: true }),
    callGraph: readCallGraph(flags),
    ...((flags.counts || flags.exitCounts) && { counts: true }),
    ...(flags.exitCounts && { exitCounts: true }),
    ...(flags.stat && { stat: true }),
    inherit: flags.inherit,
    ...(flags.output !== undefined && { output: flags.output }),
    ...(flags.compressionLevel !== undefined && {
      compressionLevel: readLevel(flags.compressionLevel),
    }),
    ...(flags.maxSize !== undefined && { maxBytes: byteSize('--max-size', flags.maxSize) }),
    ...(flags.duration !== undefined && {
      durationMs: positiveNumber('--duration', flags.duration) * 1000,
    }),
    ...readDelay(flags),
    ...(flags.control !== undefined && { control: flags.control }),
    ...readSwitchOutput(flags),
    ...(flags.mmapPages !== undefined && { ringPages: parseRingPages(flags.mmapPages) }),
    ...(flags.clockid !== undefined && { clock: clockName(flags.clockid) }),
    ...(flags.user !== undefined && { user: flags.user }),
    ...(flags.asRoot && { asRoot: true }),
    ...(flags.nodeFlags !== undefined && { nodeFlags: flags.nodeFlags }),
    ...(flags.attachJs !== undefined && { attachJs: flags.attachJs }),
    ...(flags.jitdump && { jitdump: true }),
    ...readSpace(flags),
    ...readFields(flags),
    ...(flags.perThread && { perThread: true }),
    ...(flags.cgroup !== undefined && { cgroup: flags.cgroup }),
    ...(flags.overwrite && { overwrite: true }),
    ...readOffCpu(flags),
    ...(flags.switchEvents && { switches: true }),
    ...(flags.namespaces && { namespaces: true }),
    ...(flags.allCgroups && { cgroups: true }),
    ...(flags.samples === false && { samples: false }),
    ...(flags.buildid === false && { buildIds: false }),
    ...(flags.buildidCache === false && { programSymbols: false }),
  };
}

function readUser({ uid, pid, tid, allCpus }: RecordFlags): Pick<RecordOptions, 'pids'> {
  if (uid === undefined) return {};
  if (pid !== undefined || tid !== undefined || allCpus) {
    throw new UsageError('-u, -p, -t and -a exclude each other: name one target');
  }
  return { pids: processesOfUser(uid) };
}

function readSpace({ allUser, allKernel }: RecordFlags): Pick<RecordOptions, 'only'> {
  if (allUser && allKernel) {
    throw new UsageError('--all-user and --all-kernel exclude each other: leave both out for all');
  }
  if (allUser) return { only: 'user' };
  return allKernel ? { only: 'kernel' } : {};
}

function readDelay({ delay }: RecordFlags): Pick<RecordOptions, 'delayMs' | 'startDisabled'> {
  if (delay === undefined) return {};
  return delay === '-1' ? { startDisabled: true } : { delayMs: positiveNumber('-D', delay) };
}

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `signal`, which is meant where the option stands alone, a size (10M) or a time (10s, 5m). */
function readSwitchOutput({
  switchOutput,
  switchMaxFiles,
}: RecordFlags): Pick<RecordOptions, 'switchOutput' | 'switchMaxFiles'> {
  if (switchOutput === undefined) {
    if (switchMaxFiles === undefined) return {};
    throw new UsageError('--switch-max-files belongs to --switch-output');
  }
  const most =
    switchMaxFiles === undefined
      ? {}
      : { switchMaxFiles: wholeNumber('--switch-max-files', switchMaxFiles) };
  if (switchOutput === true || switchOutput === 'signal') {
    return { switchOutput: 'asked', ...most };
  }
  const time = /^(\d+)([smhd])$/.exec(switchOutput);
  if (time !== null && Number(time[1]) > 0) {
    const ms = Number(time[1]) * MS_PER_UNIT[time[2]];
    return { switchOutput: { ms }, ...most };
  }
  if (/^\d+[BKMG]$/.test(switchOutput)) {
    return { switchOutput: { bytes: byteSize('--switch-output', switchOutput) }, ...most };
  }
  throw new UsageError(
    `--switch-output=${switchOutput}: expected signal, a size (10M) or a time (10s, 5m, 1h)`,
  );
}

function readOffCpu({ offCpu, wakeUps }: RecordFlags): Pick<RecordOptions, 'offCpu' | 'wakeUps'> {
  if (offCpu === undefined) return {};
  const own = wakeUps === false ? { wakeUps } : {};
  if (offCpu === true || offCpu === 'only') return { offCpu, ...own };
  throw new UsageError(`--off-cpu=${offCpu}: stands alone, or is only`);
}

function readFields(flags: RecordFlags): Pick<RecordOptions, 'fields'> {
  const branches = flags.branchFilter?.split(',') ?? (flags.branchAny ? ['any'] : undefined);
  const fields: SampleFieldOptions = {
    ...(flags.data && { dataAddresses: true }),
    ...(flags.physData && { physicalAddresses: true }),
    ...(flags.dataPageSize && { dataPageSizes: true }),
    ...(flags.codePageSize && { codePageSizes: true }),
    ...(flags.weight && { weights: true }),
    ...(flags.rawSamples && { raw: true }),
    ...(flags.userRegs !== undefined && { userRegs: registerNames(flags.userRegs) }),
    ...(flags.intrRegs !== undefined && { interruptRegs: registerNames(flags.intrRegs) }),
    ...(branches !== undefined && { branches }),
  };
  return Object.keys(fields).length > 0 ? { fields } : {};
}

/** `ax,sp`; all where the option stands alone. */
function registerNames(text: string | true): string[] {
  return text === true || text === '' ? [] : text.split(',');
}

/** The fastest where `-z` stands alone. */
function readLevel(text: string | true): number {
  return text === true ? FASTEST_LEVEL : wholeNumber('-z', text);
}

/** Says why an option of perf is not there. */
function refuse(flags: RecordFlags): void {
  for (const { flags: option, key, why, instead } of REFUSED) {
    if (flags[key] !== undefined)
      throw new UsageError(`${option.split(' ')[0]?.replace(',', '')}: ${why}`, [instead]);
  }
}

/** `-g` alone is the frame pointer; `--call-graph` says it in full. */
function readCallGraph({ callGraph, g }: RecordFlags): CallGraph {
  if (callGraph !== undefined) return checkCallGraph(callGraph, `--call-graph ${callGraph}`);
  return g ? 'fp' : 'none';
}

/** `-C` records all that runs on those CPUs unless a process is named. */
function isSystemWide({ allCpus, cpu, pid, tid, uid }: RecordFlags): boolean {
  return (
    allCpus === true ||
    (cpu !== undefined && pid === undefined && tid === undefined && uid === undefined)
  );
}

/**
 * The share of lost samples that `--fail-on-loss` tolerates, 0…1: `0.01` or `1%`. Null without the
 * option.
 */
export function readToleratedLoss({ failOnLoss }: RecordFlags): number | null {
  if (failOnLoss === undefined) return null;
  const match = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(failOnLoss.trim());
  const share = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1);
  if (share <= 1) return share;
  throw new UsageError(`--fail-on-loss ${failOnLoss}: expected a share such as 0.01 or 1%`);
}

function clockName(text: string): ClockName {
  const name =
    {
      CLOCK_MONOTONIC: 'monotonic',
      mono: 'monotonic',
      raw: 'monotonic_raw',
      real: 'realtime',
      boot: 'boottime',
    }[text] ?? text.toLowerCase().replace(/^clock_/, '');
  if (name in CLOCK_IDS) return name as ClockName;
  throw new UsageError(`-k ${text}: unknown clock`, [
    `known: ${Object.keys(CLOCK_IDS).join(', ')}`,
  ]);
}
