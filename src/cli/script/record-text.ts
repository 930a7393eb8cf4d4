import { MAP, PROT } from '../../base/mmap-bits.ts';
import { printable } from '../../base/printable.ts';
import { formatAddress } from '../../base/u64.ts';
import type { KernelRecord, MmapRecord, NamespaceLink } from '../../kernel/perf-event/record.ts';
import type { DescribedRecord } from '../../tools/script/types.ts';
import { headText, type SampleTextStyle } from './sample-text.ts';

/** A record that is not a sample, as `perf script --show-…-events` prints it, on one line. */
export function formatRecord(described: DescribedRecord, style: SampleTextStyle): string {
  const { record, type, pid = -1, tid = -1, comm = `:${tid}`, cpu, timeNs } = described;
  // Of what is printed of samples, what other records have as well.
  const fields = new Set(style.fields[0]);
  if (cpu === undefined) fields.delete('cpu');
  // The parent forks, the child is what comes of it.
  const actor = record?.kind === 'fork' ? [record.parentPid, record.parentTid] : [pid, tid];
  const who = {
    comm,
    pid: actor[0],
    tid: actor[1],
    cpu: cpu ?? -1,
    timeNs: BigInt(timeNs ?? 0),
  };
  const head = headText(who, fields, style, false);
  const text = record === undefined ? '' : recordBody(described, record);
  return `${head}PERF_RECORD_${type}${printable(text)}\n`;
}

/** The text that perf prints behind the record's name. */
export function recordBody({ event, callchain }: DescribedRecord, record: KernelRecord): string {
  switch (record.kind) {
    case 'comm':
      return `${record.isExec ? ' exec' : ''}: ${record.comm}:${record.pid}/${record.tid}`;
    case 'fork':
    case 'exit':
      return `(${record.pid}:${record.tid}):(${record.parentPid}:${record.parentTid})`;
    case 'mmap':
    case 'mmap2':
      return mmapText(record);
    case 'lost':
    case 'lostSamples':
      return ` lost ${record.lost}`;
    case 'switch':
      return ` ${directionText(record)}`;
    case 'switchCpuWide': {
      const other = `${String(record.otherPid).padStart(5)}/${String(record.otherTid).padEnd(5)}`;
      return ` ${directionText(record)}  ${record.isOut ? 'next' : 'prev'} pid/tid: ${other}`;
    }
    case 'namespaces':
      return namespacesText(record.pid, record.tid, record.links);
    case 'cgroup':
      return ` cgroup: ${record.id} ${record.path}`;
    case 'ksymbol': {
      const { address, length, symbolType, isUnregister, name } = record;
      const start = formatAddress(address).slice(2);
      return ` addr ${start} len ${length} type ${symbolType} flags 0x${isUnregister ? 1 : 0} name ${name}`;
    }
    case 'bpfEvent':
      return ` type ${record.eventType}, flags ${record.flags}, id ${record.programId}`;
    case 'itraceStart':
      return ` pid: ${record.pid} tid: ${record.tid}`;
    case 'read':
      return ` ${readText(event, record)}`;
    case 'callchainDeferred':
      return ` cookie ${record.cookie}: ${(callchain ?? []).map(({ ip, symbol }) => symbol ?? ip).join(' ')}`;
    default:
      return otherText(record);
  }
}

/** ` 817/817: [0x558c3a6f9000(0x13000) @ 0x4000 fe:00 260180 0]: r-xp /usr/bin/dash` */
function mmapText(record: MmapRecord): string {
  const { pid, tid, address, length, fileOffset, fileId, buildId, isData, filename } = record;
  const place = `${formatAddress(address)}(0x${length.toString(16)}) @ ${offsetText(fileOffset)}`;
  if (record.kind === 'mmap')
    return ` ${pid}/${tid}: [${place}]: ${isData ? 'r' : 'x'} ${filename}`;
  const device = (number: number): string => number.toString(16).padStart(2, '0');
  const file =
    fileId === null
      ? `<${buildId ?? ''}>`
      : `${device(fileId.major)}:${device(fileId.minor)} ${fileId.inode} ${fileId.inodeGeneration}`;
  return ` ${pid}/${tid}: [${place} ${file}]: ${rightsText(record)} ${filename}`;
}

/** An offset as C's `%#lx` prints it: zero has no 0x. */
function offsetText(offset: number): string {
  return offset === 0 ? '0' : formatAddress(offset);
}

function rightsText({ prot, flags }: MmapRecord): string {
  const right = (bit: number, letter: string): string => (prot & bit ? letter : '-');
  const sharing = flags & MAP.SHARED ? 's' : 'p';
  return `${right(PROT.READ, 'r')}${right(PROT.WRITE, 'w')}${right(PROT.EXEC, 'x')}${sharing}`;
}

function directionText({ isOut, isPreempted }: { isOut: boolean; isPreempted: boolean }): string {
  if (!isOut) return 'IN         ';
  return isPreempted ? 'OUT preempt' : 'OUT        ';
}

/** perf breaks the list into two lines. */
function namespacesText(pid: number, tid: number, links: readonly NamespaceLink[]): string {
  const words = links.map(
    ({ name, device, inode }, index) =>
      `${index}/${name}: ${device.toString()}/0x${inode.toString(16)}`,
  );
  return ` ${pid}/${tid} - nr_namespaces: ${links.length} [${words.join(', ')}]`;
}

/**
 * A final count, which perf does not print; in a group those of all members, the leader's first:
 *
 *   page-faults 20001, enabled 32772910 ns, running 32772910 ns, id 77406, lost 0
 */
function readText(
  event: string | null,
  { values, ids, lost, timeEnabled, timeRunning }: Extract<KernelRecord, { kind: 'read' }>,
): string {
  const words = [
    `${event ?? '?'} ${values.join(' ')}`,
    `enabled ${timeEnabled} ns`,
    `running ${timeRunning} ns`,
  ];
  if (ids.length > 0) words.push(`id ${ids.join(' ')}`);
  if (lost.length > 0) words.push(`lost ${lost.join(' ')}`);
  return words.join(', ');
}

/** Records of perf itself and rare ones of the kernel: their fields by name. */
function otherText(record: KernelRecord): string {
  const fields = recordFields(record);
  return Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ` ${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join('');
}

/** Fields that are hex in text and JSON: they may have all 64 bits. */
const HEX_FIELDS: ReadonlySet<string> = new Set(['address', 'fileOffset']);

/** Ids are strings in JSON, whatever record they are in; in text that is the same. */
const ID_FIELDS: ReadonlySet<string> = new Set(['id', 'streamId', 'ids']);

/** A record's fields as JSON takes them: addresses as hex, ids as strings, bytes left out. */
export function recordFields(record: KernelRecord): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    if (key === 'kind' || key === 'type' || key === 'comm') continue;
    if (ArrayBuffer.isView(value)) continue;
    if (HEX_FIELDS.has(key) && typeof value === 'number') fields[key] = formatAddress(value);
    else if (ID_FIELDS.has(key))
      fields[key] = Array.isArray(value) ? value.map(String) : `${value}`;
    else fields[key] = value;
  }
  return fields;
}
