import { printable } from '../../base/printable.ts';
import { formatAddress } from '../../base/u64.ts';
import { hasLbrCallchain } from '../../kernel/perf-event/attr.ts';
import { firstUserEntry } from '../../kernel/perf-event/callchain.ts';
import { PERF_CONTEXT, PERF_SAMPLE, recordTypeName } from '../../kernel/perf-event/constants.ts';
import { branches, type SampleContext } from '../../kernel/perf-event/sample-fields.ts';
import type { DumpedRecord } from '../../tools/script/dump-records.ts';
import { recordBody } from './record-text.ts';

const BYTES_PER_LINE = 16;

/**
 * A record as `perf script -D` dumps it: what it says, and its bytes.
 *
 *   0 4578788883557 0x2a8 [0x78]: PERF_RECORD_SAMPLE(IP, 0x1): 6351/6351: 0xffffffff81752b6a period: 1 addr: 0
 *   ... FP chain: nr:2
 *   .....  0: ffffffffffffff80
 *   .....  1: ffffffff81752b6a
 *   .
 *   . ... raw event: size 120 bytes
 *   .  0000:  09 00 00 00 01 00 78 00 6a 2b 75 81 ff ff ff ff  ......x.j+u.....
 */
export function formatDump(record: DumpedRecord): string {
  const { fileOffset, bytes, type, sample, other, ibs } = record;
  const place = `0x${fileOffset.toString(16)} [0x${bytes.length.toString(16)}]`;
  const head = `${stampOf(record)}${place}: PERF_RECORD_${recordTypeName(type)}`;
  const body = sample !== null ? sampleBody(sample, record.misc) : '';
  const own = other?.record === undefined ? '' : printable(recordBody(other, other.record));
  const lines = [
    `${head}${body}${own}`,
    ...(sample === null ? [] : chainLines(sample)),
    ...(ibs ?? []),
    '.',
    `. ... raw event: size ${bytes.length} bytes`,
    ...hexLines(bytes),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** CPU and time, where records of the event have them. */
function stampOf({ attr, cpu, timeNs }: DumpedRecord): string {
  const has = (bit: number) => attr !== null && (attr.sampleType & bit) !== 0;
  const cpuText = has(PERF_SAMPLE.CPU) ? `${cpu} ` : '';
  return has(PERF_SAMPLE.TIME) ? `${cpuText}${timeNs ?? 0} ` : cpuText;
}

function sampleBody({ sample }: SampleContext, misc: number): string {
  const { pid, tid, ip, period, addr } = sample;
  return (
    `(IP, 0x${misc.toString(16)}): ${pid}/${tid}: ${formatAddress(ip)} ` +
    `period: ${period} addr: ${addr === 0 ? '0' : formatAddress(addr)}`
  );
}

function chainLines(context: SampleContext): string[] {
  const { sample, attr } = context;
  if ((attr.sampleType & PERF_SAMPLE.CALLCHAIN) === 0) return [];
  const chain = [...sample.callchain.subarray(0, sample.callchainLength)];
  const recorded = addressLines('FP chain', chain);
  if (!hasLbrCallchain(attr)) return recorded;
  const calls = callsOf(context);
  const firstUser = firstUserEntry(sample.callchain, chain.length);
  const hasUserPart = chain[firstUser - 1] === PERF_CONTEXT.USER;
  return [
    ...(hasUserPart && calls.length > 0
      ? addressLines('LBR call chain', [...chain.slice(0, firstUser), ...calls])
      : []),
    ...recorded,
    ...(calls.length > 0 ? addressLines('branch callstack', calls) : []),
  ];
}

/** The entry of the function that was called last, and the calls, newest first. */
function callsOf(context: SampleContext): number[] {
  const calls = branches(context);
  return calls.length === 0 ? [] : [calls[0]?.to ?? 0, ...calls.map(({ from }) => from)];
}

function addressLines(name: string, addresses: readonly number[]): string[] {
  const lines = [`... ${name}: nr:${addresses.length}`];
  addresses.forEach((address, i) => {
    const digits = formatAddress(address).slice(2).padStart(16, '0');
    lines.push(`..... ${String(i).padStart(2)}: ${digits}`);
  });
  return lines;
}

function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const row = [...bytes.subarray(at, at + BYTES_PER_LINE)];
    const digits = row.map((byte) => ` ${byte.toString(16).padStart(2, '0')}`).join('');
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
    const offset = at.toString(16).padStart(4, '0');
    lines.push(
      `.  ${offset}: ${digits.padEnd(3 * BYTES_PER_LINE)}  ${text.join('').padEnd(BYTES_PER_LINE)}`,
    );
  }
  return lines;
}
