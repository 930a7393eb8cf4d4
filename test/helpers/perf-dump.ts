// What `perf report -D` says of the fields of each record, and the same from our decoder: text
// against text, by the record's place in the file.

import { spawnSync } from 'node:child_process';
import { formatAddress } from '../../src/base/u64.ts';
import type { RecordedEvent } from '../../src/formats/perf-data/event-list.ts';
import { type PerfData, walkRecords } from '../../src/formats/perf-data/reader.ts';
import {
  PERF_FORMAT,
  PERF_RECORD,
  PERF_SAMPLE,
  PERF_SAMPLE_BRANCH,
  recordTypeName,
} from '../../src/kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../../src/kernel/perf-event/event-lookup.ts';
import { decodeRecord, type KernelRecord } from '../../src/kernel/perf-event/record.ts';
import { registerArchitectureOf } from '../../src/kernel/perf-event/register-names.ts';
import { type Register, registerAbiName } from '../../src/kernel/perf-event/registers.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import {
  branches,
  formatPageSize,
  interruptRegisters,
  type SampleContext,
  userRegisters,
} from '../../src/kernel/perf-event/sample-fields.ts';
import { decodeTrailer, TrailerView } from '../../src/kernel/perf-event/trailer.ts';
import { eventName } from '../../src/read/facts/event-description.ts';

/** File offset -> the record's type and fields as lines. */
export type Dump = Map<number, string>;

/** Lines that say what perf made of a record, not what is in it. */
const NOT_A_FIELD = /^ \.{3,} (thread|dso|machine): |^: unhandled|^ \.\.\. (id|key):/;

/** perf's dump of the records that `oursOf` writes too. Null where perf refuses the file. */
export function perfDump(file: string): Dump | null {
  const run = spawnSync('perf', ['report', '-D', '-i', file], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    // Otherwise perf looks for the recorded programs, which may be here under the same name.
    env: { ...process.env, PERF_BUILDID_DIR: '/nonexistent' },
  });
  if (run.status !== 0) return null;
  const dump: Dump = new Map();
  const lines = run.stdout.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const head = /(0x[0-9a-f]+) \[0x[0-9a-f]+\]: PERF_RECORD_(\w+)(.*)$/.exec(lines[i]);
    if (head === null) continue;
    const [, offset, type, first] = head as unknown as [string, string, string, string];
    const block = [`${type}${first}`];
    while (i + 1 < lines.length && lines[i + 1] !== '') {
      i++;
      const line = lines[i];
      if (!NOT_A_FIELD.test(line)) block.push(line.trimEnd());
    }
    // A sample that reads a group comes once per member.
    const text = block.join('\n').trimEnd();
    if (!dump.has(Number(offset))) {
      dump.set(Number(offset), type.startsWith('MMAP') ? rounded(text) : text);
    }
  }
  return dump;
}

/**
 * With the numbers that a double can't hold as the next that it can: what follows from them, the end
 * of a mapping that takes the whole upper half, is not exact here.
 */
function rounded(mmap: string): string {
  return mmap.replace(
    /\((0x[0-9a-f]{15,})\)/,
    (_, length) => `(0x${BigInt(Number(length)).toString(16)})`,
  );
}

/** Ours, of the types that perf prints all fields of. */
export function ourDump(data: PerfData): Dump {
  const dump: Dump = new Map();
  const sample = new SampleView({ high: 0, low: 0 });
  const trailer = new TrailerView({ high: 0, low: 0 });
  const architecture = registerArchitectureOf(data.features.arch);
  walkRecords(data, {
    record(record) {
      const { offset, type, misc, fileOffset } = record;
      const index = data.lookup.attrIndexOf(record);
      if (index === UNKNOWN_EVENT) return;
      const { attr, info } = data.attrs[index];
      if (type !== PERF_RECORD.SAMPLE) {
        decodeTrailer(record, info, trailer);
        const decoded = decodeRecord(record, info);
        const text = fieldsOf(decoded, misc, trailer.id, data.attrs[index]);
        if (text !== null) dump.set(fileOffset, `${recordTypeName(type)}${text}`.trimEnd());
        return;
      }
      const isDecoded = decodeSample(record, info, sample);
      if (!isDecoded) throw new Error(`the sample at ${fileOffset} is malformed`);
      const context = { sample, attr, littleEndian: data.littleEndian, architecture };
      dump.set(fileOffset, `SAMPLE${sampleText(context, offset, misc)}`.trimEnd());
    },
  });
  return dump;
}

/** `%#lx` of an address in signed form or a number. */
const hex = (value: number) => (value === 0 ? '0' : formatAddress(value));
/** `%016lx`. */
const hex16 = (value: number) => formatAddress(value).slice(2).padStart(16, '0');

/** The text behind the type's name; null for records that perf says less of. */
function fieldsOf(
  record: KernelRecord,
  misc: number,
  id: number,
  event: RecordedEvent,
): string | null {
  switch (record.kind) {
    case 'comm': {
      const { isExec, comm, pid, tid } = record;
      return `${isExec ? ' exec' : ''}: ${comm}:${pid}/${tid}`;
    }
    case 'fork':
    case 'exit':
      return `(${record.pid}:${record.tid}):(${record.parentPid}:${record.parentTid})`;
    case 'mmap':
    case 'mmap2':
      return mmapText(record);
    case 'namespaces': {
      const { pid, tid, links } = record;
      const each = links.map(({ name, device, inode }, i) => {
        const separator = i + 1 === links.length ? ']' : i % 4 === 3 ? ', \n\t\t ' : ', ';
        return `${i}/${name}: ${device}/0x${inode.toString(16)}${separator}`;
      });
      return ` ${pid}/${tid} - nr_namespaces: ${links.length}\n\t\t[${each.join('')}`
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n');
    }
    case 'cgroup':
      return ` cgroup: ${record.id} ${record.path}`;
    case 'lost':
      return `: id:${record.id}: lost:${record.lost}`;
    case 'lostSamples':
      return `: id:${id}: lost samples :${record.lost}`;
    case 'read':
      return readText(record, event);
    case 'switch':
      return switchText(record);
    case 'switchCpuWide':
      return `${switchText(record)}  ${record.isOut ? 'next' : 'prev'} pid/tid: ${String(record.otherPid).padStart(5)}/${record.otherTid}`;
    case 'ksymbol': {
      const { address, length, symbolType, isUnregister, name } = record;
      const flags = isUnregister ? 1 : 0;
      return ` addr ${formatAddress(address).slice(2)} len ${length} type ${symbolType} flags 0x${flags} name ${name}`;
    }
    case 'bpfEvent':
      return ` type ${record.eventType}, flags ${record.flags}, id ${record.programId}`;
    case 'itraceStart':
      return ` pid: ${record.pid} tid: ${record.tid}`;
    case 'user':
      if (misc !== 0 || record.fields === undefined) return null;
      if (record.type === PERF_RECORD.CPU_MAP) return `: ${ranges(record.fields.cpus as number[])}`;
      if (record.type === PERF_RECORD.THREAD_MAP) {
        const pids = record.fields.pids as number[];
        const text = pids.length > 1 ? `threads: ${pids.join(', ')}` : `thread: ${pids[0]}`;
        return ` nr: ${pids.length} ${text}`;
      }
      return null;
    default:
      return null;
  }
}

function mmapText(record: Extract<KernelRecord, { kind: 'mmap' | 'mmap2' }>): string {
  const { pid, tid, address, length, fileOffset, filename, kind } = record;
  const { fileId, buildId, prot, flags } = record;
  const place = `${hex(address)}(${hex(length)}) @ ${hex(fileOffset)}`;
  if (kind === 'mmap')
    return ` ${pid}/${tid}: [${place}]: ${record.isData ? 'r' : 'x'} ${filename}`;
  const bits = (bit: number, letter: string) => (prot & bit ? letter : '-');
  const rights = `${bits(1, 'r')}${bits(2, 'w')}${bits(4, 'x')}${flags & 1 ? 's' : 'p'}`;
  const two = (value: number) => value.toString(16).padStart(2, '0');
  const file =
    fileId === null
      ? `<${buildId}>`
      : `${two(fileId.major)}:${two(fileId.minor)} ${fileId.inode} ${fileId.inodeGeneration}`;
  return ` ${pid}/${tid}: [${place} ${file}]: ${rights} ${filename}`;
}

/** perf takes every field for recorded; so they are, with `perf record -s`. */
function readText(
  {
    pid,
    tid,
    values,
    ids,
    lost,
    timeEnabled,
    timeRunning,
  }: Extract<KernelRecord, { kind: 'read' }>,
  event: RecordedEvent,
): string {
  return [
    `: ${pid} ${tid} ${eventName(event)} ${values[0]}`,
    `... time enabled : ${timeEnabled}`,
    `... time running : ${timeRunning}`,
    `... id           : ${ids[0]}`,
    ...(lost.length > 0 ? [`... lost         : ${lost[0]}`] : []),
  ].join('\n');
}

function switchText({ isOut, isPreempted }: { isOut: boolean; isPreempted: boolean }): string {
  if (!isOut) return ' IN         ';
  return isPreempted ? ' OUT preempt' : ' OUT        ';
}

/** `0-3,8`. */
function ranges(cpus: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const cpu of cpus) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] + 1 === cpu) last[1] = cpu;
    else parts.push([cpu, cpu]);
  }
  return parts.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(',');
}

function sampleText(context: SampleContext, offset: number, misc: number): string {
  const { sample, attr } = context;
  const { view } = sample;
  const has = (bit: number) => (attr.sampleType & bit) !== 0;
  const lines = [
    `(IP, 0x${misc.toString(16)}): ${sample.pid}/${sample.tid}: ${hex(sample.ip)} ` +
      `period: ${sample.period} addr: ${hex(sample.addr)}`,
  ];
  if (has(PERF_SAMPLE.CALLCHAIN)) {
    lines.push(`... FP chain: nr:${sample.callchainLength}`);
    for (let i = 0; i < sample.callchainLength; i++) {
      const entry = view.getBigUint64(sample.callchainOffset + 8 * i, context.littleEndian);
      lines.push(numbered(i, entry.toString(16).padStart(16, '0')));
    }
  }
  if (has(PERF_SAMPLE.BRANCH_STACK)) lines.push(...branchLines(context));
  if (sample.userRegsCount > 0) {
    const { userRegsAbi } = sample;
    lines.push(...registerLines('user', attr.sampleRegsUser, userRegsAbi, userRegisters(context)));
  }
  if (sample.interruptRegsCount > 0) {
    const { interruptRegsAbi } = sample;
    const registers = interruptRegisters(context);
    lines.push(...registerLines('intr', attr.sampleRegsIntr, interruptRegsAbi, registers));
  }
  if (has(PERF_SAMPLE.STACK_USER)) {
    const at = sample.stackOffset - 8 - offset;
    lines.push(`... ustack: size ${sample.stackDynamicSize}, offset 0x${at.toString(16)}`);
  }
  if (has(PERF_SAMPLE.WEIGHT)) lines.push(`... weight: ${sample.weight}`);
  if (has(PERF_SAMPLE.WEIGHT_STRUCT)) {
    const { weight, weight2, weight3 } = sample;
    lines.push(`... weight: ${weight},0x${weight2.toString(16)},0x${weight3.toString(16)}`);
  }
  if (has(PERF_SAMPLE.DATA_SRC)) lines.push(` . data_src: 0x${sample.dataSrc.toString(16)}`);
  if (has(PERF_SAMPLE.PHYS_ADDR)) lines.push(` .. phys_addr: 0x${sample.physAddr.toString(16)}`);
  if (has(PERF_SAMPLE.DATA_PAGE_SIZE)) {
    lines.push(` .. data page size: ${formatPageSize(sample.dataPageSize)}`);
  }
  if (has(PERF_SAMPLE.CODE_PAGE_SIZE)) {
    lines.push(` .. code page size: ${formatPageSize(sample.codePageSize)}`);
  }
  if (has(PERF_SAMPLE.READ)) lines.push(...readLines(context));
  return lines.join('\n');
}

function numbered(index: number, text: string): string {
  return `..... ${String(index).padStart(2)}: ${text}`;
}

function registerLines(
  whose: string,
  mask: bigint,
  abi: number,
  registers: readonly Register[],
): string[] {
  return [
    `... ${whose} regs: mask 0x${mask.toString(16)} ABI ${registerAbiName(abi)}`,
    ...registers.map(
      ({ name, value }) => `.... ${name.padEnd(5)} 0x${value.toString(16).padStart(16, '0')}`,
    ),
  ];
}

function branchLines(context: SampleContext): string[] {
  const isCallStack =
    (context.attr.branchSampleType & BigInt(PERF_SAMPLE_BRANCH.CALL_STACK)) !== 0n;
  if (isCallStack) throw new Error('perf turns branches into a call stack');
  return [
    `... branch stack: nr:${context.sample.branchCount}`,
    ...branches(context).map((branch, i) => {
      const flags =
        (branch.isMispredicted ? 'M' : ' ') +
        (branch.isPredicted ? 'P' : ' ') +
        (branch.isAbort ? 'A' : ' ') +
        (branch.isInTransaction ? 'T' : ' ');
      const way = `${hex16(branch.from)} -> ${hex16(branch.to)} ${branch.cycles} cycles`;
      return numbered(i, `${way} ${flags} 0 ${branch.type}`.trimEnd());
    }),
  ];
}

function readLines({ sample, attr }: SampleContext): string[] {
  const { readFormat } = attr;
  const lines = ['... sample_read:'];
  const nanoseconds = (value: number) => value.toString(16).padStart(16, '0');
  if (readFormat & PERF_FORMAT.TOTAL_TIME_ENABLED) {
    lines.push(`...... time enabled ${nanoseconds(sample.timeEnabled)}`);
  }
  if (readFormat & PERF_FORMAT.TOTAL_TIME_RUNNING) {
    lines.push(`...... time running ${nanoseconds(sample.timeRunning)}`);
  }
  if (readFormat & PERF_FORMAT.GROUP) lines.push(`.... group nr ${sample.readCount}`);
  for (let i = 0; i < sample.readCount; i++) {
    const lost = readFormat & PERF_FORMAT.LOST ? `, lost ${sample.readLost[i]}` : '';
    const id = hex16(sample.readIds[i]);
    lines.push(`..... id ${id}, value ${hex16(sample.readValues[i])}${lost}`);
  }
  return lines;
}
