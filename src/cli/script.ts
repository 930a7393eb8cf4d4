import { printable } from '../base/printable.ts';
import { formatAddress } from '../base/u64.ts';
import type { KernelRecord } from '../perf-event/record.ts';
import { cutOffset } from '../session/open-profile.ts';
import { type DescribedRecord, describeRecords } from '../session/record-stream.ts';
import { warnIfCut } from './cut-warning.ts';
import { writeOut } from './stdout.ts';

/** Text waits here until it is worth a system call. */
const FLUSH_AT = 1 << 18;

/** `perf-ts script`: every record, one line (or one JSON object) each; stacks below their sample. */
export async function runScript(
  path: string,
  options: { json?: boolean; samples?: boolean; strict?: boolean },
): Promise<void> {
  let pending = '';
  const format = options.json ? jsonLine : textLines;
  const data = describeRecords(path, { samplesOnly: options.samples === true }, (record) => {
    pending += format(record);
    if (pending.length > FLUSH_AT) {
      writeOut(pending);
      pending = '';
    }
  });
  writeOut(pending);
  warnIfCut({ truncatedAt: cutOffset(data) }, options.strict === true);
}

/** Keys of the contract, then the record's own fields; absent is left out by JSON itself. */
function jsonLine(described: DescribedRecord): string {
  const { record, ...head } = described;
  const own = record === undefined ? {} : ownFields(record);
  return `${JSON.stringify({ ...head, ...own })}\n`;
}

/** Fields that are hex in text and JSON: they may have all 64 bits. */
const HEX_FIELDS: ReadonlySet<string> = new Set(['address', 'fileOffset']);

/** A record's fields as JSON takes them: addresses as hex strings, bytes left out. */
function ownFields(record: KernelRecord): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    if (key === 'kind' || key === 'type' || key === 'comm') continue;
    if (ArrayBuffer.isView(value)) continue;
    fields[key] = HEX_FIELDS.has(key) && typeof value === 'number' ? formatAddress(value) : value;
  }
  return fields;
}

/**
 * Near `perf script`'s lines:
 *
 *   comm  pid/tid  [cpu]  seconds.nanos:  period event:
 *           ip symbol+0xoffset (dso)
 */
function textLines(described: DescribedRecord): string {
  const { record } = described;
  const head = headOf(described);
  if (record !== undefined) {
    const detail =
      record.kind === 'read' ? describeRead(described.event, record) : detailOf(record);
    return `${printable(`${head} PERF_RECORD_${described.type} ${detail}`)}\n`;
  }
  const counted = described.count == null ? '' : ` count ${described.count}`;
  let text = `${printable(`${head} ${described.period} ${described.event}:${counted}`)}\n`;
  for (const { ip, symbol, offset, dso } of described.callchain ?? []) {
    const name = symbol === null ? '[unknown]' : `${symbol}+0x${(offset ?? 0).toString(16)}`;
    text += `\t${printable(`${ip.slice(2).padStart(16)} ${name} (${dso ?? '[unknown]'})`)}\n`;
  }
  return (described.callchain?.length ?? 0) > 1 ? `${text}\n` : text;
}

function headOf({ comm, pid, tid, cpu, timeNs }: DescribedRecord): string {
  const who = `${(comm ?? '').padStart(16)} ${pid ?? '?'}/${tid ?? '?'}`.padEnd(32);
  const where = cpu === undefined ? '' : ` [${String(cpu).padStart(3, '0')}]`;
  return `${who}${where} ${formatSeconds(timeNs)}:`;
}

function formatSeconds(timeNs: string | undefined): string {
  const digits = (timeNs ?? '0').padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.padStart(18);
}

/**
 * A final count; in a group those of all members, the leader's first:
 *
 *   page-faults 20001, enabled 32772910 ns, running 32772910 ns, id 77406, lost 0
 */
function describeRead(
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

function detailOf(record: KernelRecord): string {
  const fields = Object.entries(ownFields(record)).filter(([, value]) => value !== null);
  return fields
    .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');
}
