import { addToList } from '../../base/group-by.ts';
import { MAP } from '../../base/mmap-bits.ts';
import { errnoReason } from '../../base/system-error.ts';
import { PERF_RECORD_MISC } from '../../kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../kernel/perf-event/encode.ts';
import type { SamplerOpened, SamplerTarget } from '../../native/types.ts';
import { listCgroups, readNamespaces } from '../../system/kernel/containers.ts';
import { readKernelImage } from '../../system/kernel/running-kernel.ts';
import {
  describeProcess,
  listProcesses,
  type ProcProcess,
  processOfThread,
} from '../../system/processes/system-processes.ts';
import type { RecordingPlan } from '../plan/recording-plan.ts';
import { MappedBuildIds } from './mapped-build-ids.ts';

/** The kernel's MMAP records carry pid −1. */
const KERNEL_PID = -1;

/**
 * Records for what was there before the recording: the kernel and its modules, and, unless a
 * command is about to bring its own, the comms and mappings of the running processes. Their time
 * is 0, so that they come before everything that the kernel reports.
 *
 * `isLater`: the recording has run for a while, so that a command has brought its processes.
 *
 * Called when the side-band event already counts: what is mapped between that and the reading of
 * /proc is reported twice, never missed.
 */
export function describeExisting(
  target: SamplerTarget,
  opened: SamplerOpened,
  plan: RecordingPlan,
  notify: (notice: string) => void,
  isLater = false,
): Uint8Array {
  const encoder = new RecordEncoder({
    littleEndian: true,
    sampleType: plan.sideband.sampleType,
    sampleIdAll: true,
  });
  const id = opened.sidebandIds[0] ?? 0n;
  const { namespaces, cgroup } = plan.sideband.flags;
  const buildIds = plan.sideband.flags.buildId ? new MappedBuildIds() : null;
  const records: Uint8Array[] = describeKernel(encoder, id, plan, notify);
  if (cgroup) {
    for (const group of listCgroups()) records.push(encoder.cgroup(group, { id }));
  }
  if (namespaces && target.kind === 'command' && !isLater) {
    const { childPid } = opened;
    describeNamespaces(encoder, id, { pid: childPid, tids: [childPid] }, records);
  }
  const refusals = new Map<string, number[]>();
  for (const pid of isLater ? listProcesses() : existingProcesses(target, opened)) {
    const process = describeProcess(pid, plan.sideband.flags.mmapData);
    if (process === null) continue;
    const { mappingsRefusal: refusal } = process;
    if (refusal !== null) addToList(refusals, refusal, pid);
    describeOne(encoder, id, process, buildIds, records);
    if (namespaces)
      describeNamespaces(
        encoder,
        id,
        { pid, tids: process.threads.map(({ tid }) => tid) },
        records,
      );
  }
  for (const [refusal, pids] of refusals) notify(describeRefusal(refusal, pids));
  return Buffer.concat(records);
}

/** The notice about unreadable mappings: samples there are addresses that no file is known for. */
function describeRefusal(code: string, pids: readonly number[]): string {
  const whose = pids.length === 1 ? `process ${pids[0]}` : `${pids.length} processes`;
  return `the mappings of ${whose} could not be read (${code}): code there stays unnamed`;
}

function existingProcesses(target: SamplerTarget, opened: SamplerOpened): number[] {
  switch (target.kind) {
    case 'command':
      return [];
    case 'processes':
      return [...target.pids];
    case 'threads': {
      const pids = [...opened.tids].map(processOfThread).filter((pid) => pid !== null);
      return [...new Set(pids)];
    }
    case 'system':
      return listProcesses();
  }
}

function describeKernel(
  encoder: RecordEncoder,
  id: bigint,
  plan: RecordingPlan,
  notify: (notice: string) => void,
): Uint8Array[] {
  const { text, modules, refusal } = readKernelImage();
  if (text === null) {
    if (!plan.events.every(({ attr }) => attr.flags.excludeKernel)) {
      const reason =
        refusal === null
          ? 'kernel.kptr_restrict or a missing CAP_SYSLOG hides its addresses'
          : `/proc/kallsyms cannot be read: ${errnoReason(refusal)}`;
      notify(`kernel code stays unnamed: ${reason}`);
    }
    return [];
  }
  const common = { pid: KERNEL_PID, tid: 0, cpuMode: PERF_RECORD_MISC.KERNEL };
  const kernel = encoder.mmap(
    {
      ...common,
      address: text.start,
      length: text.end - text.start,
      // The address of the symbol that the name ends in: tells another boot's kernel apart.
      fileOffset: text.start,
      filename: '[kernel.kallsyms]_text',
    },
    { id },
  );
  const others = modules.map(({ name, start, size }) =>
    encoder.mmap(
      { ...common, address: start, length: size, fileOffset: 0, filename: `[${name}]` },
      { id },
    ),
  );
  return [kernel, ...others];
}

function describeOne(
  encoder: RecordEncoder,
  id: bigint,
  process: ProcProcess,
  buildIds: MappedBuildIds | null,
  records: Uint8Array[],
): void {
  const { pid } = process;
  records.push(encoder.comm({ pid, tid: pid, comm: process.comm }, { id }));
  for (const mapping of process.mappings) {
    const buildId = buildIds?.of(pid, mapping) ?? null;
    const { major, minor } = mapping;
    const fileId = { major, minor, inode: String(mapping.inode), inodeGeneration: '0' };
    records.push(
      encoder.mmap2(
        {
          pid,
          tid: pid,
          address: mapping.start,
          length: mapping.end - mapping.start,
          fileOffset: mapping.fileOffset,
          filename: mapping.path,
          prot: mapping.protection,
          isData: !mapping.executable,
          flags: mapping.shared ? MAP.SHARED : MAP.PRIVATE,
          // Both at once there is no room for.
          ...(buildId === null ? { fileId } : { buildId }),
        },
        { id },
      ),
    );
  }
  for (const { tid, comm } of process.threads) {
    if (tid === pid) continue;
    records.push(
      encoder.fork({ pid, parentPid: pid, tid, parentTid: pid }, { id }),
      encoder.comm({ pid, tid, comm }, { id }),
    );
  }
}

/** Threads of one process may be in different ones. */
function describeNamespaces(
  encoder: RecordEncoder,
  id: bigint,
  { pid, tids }: { readonly pid: number; readonly tids: readonly number[] },
  records: Uint8Array[],
): void {
  for (const tid of tids) {
    const links = readNamespaces(pid, tid);
    if (links !== null) records.push(encoder.namespaces({ pid, tid, links }, { id }));
  }
}
