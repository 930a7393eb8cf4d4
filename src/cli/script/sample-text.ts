import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { printable } from '../../base/printable.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { formatBranchFlags } from '../../kernel/perf-event/branch-stack.ts';
import {
  branches,
  type SampleContext,
  SCRIPT_FIELDS,
} from '../../kernel/perf-event/sample-fields.ts';
import type { NamedFrame } from '../../read/frame-namer.ts';
import type { SampleText } from '../../tools/script/types.ts';
import type { FieldSet } from './fields.ts';

/** How samples are printed. */
export type SampleTextStyle = {
  /** Fields by attr index of the event. */
  readonly fields: readonly FieldSet[];
  /** Times with nanoseconds instead of microseconds. */
  readonly nanoseconds: boolean;
  /** Columns of the longest event name. */
  readonly nameWidth: number;
};

/**
 * A sample as `perf script` prints it: one line, or with a callchain a head, a line per frame and an
 * empty line.
 *
 *   comm   pid/tid   [cpu]  seconds.micros:  period  event:  ip symbol+0xoffset (dso)
 *
 * User addresses of callchains are those of the process, as perf prints them since 6.3.
 */
export function formatSample(sample: SampleText, style: SampleTextStyle): string {
  const fields = style.fields[sample.event];
  const chain = fields.has('ip') ? sample.callchain() : null;
  let text = headText(sample, fields, style, chain !== null);
  if (fields.has('period')) text += `${String(sample.period).padStart(10)} `;
  if (fields.has('event')) text += `${printable(sample.name).padStart(style.nameWidth)}: `;
  if (fields.has('trace')) text += printable(sample.trace() ?? '');
  text += valuesText(sample, fields);
  if (fields.has('ip') || fields.has('sym') || fields.has('dso')) {
    if (chain === null) {
      text += ` ${frameText(sample.leaf(), fields)}`;
    } else {
      text += '\n';
      for (const frame of chain) text += `\t${frameText(frame, fields)}\n`;
    }
  }
  return `${text}${lateText(sample, fields)}\n`;
}

type Head = Pick<SampleText, 'comm' | 'pid' | 'tid' | 'cpu' | 'timeNs'>;

/** The head, which says who, where and when; every line begins with it. */
export function headText(
  { comm, pid, tid, cpu, timeNs }: Head,
  fields: FieldSet,
  { nanoseconds }: SampleTextStyle,
  hasCallchain: boolean,
): string {
  let text = '';
  if (fields.has('comm')) text += `${printable(comm).padStart(hasCallchain ? 0 : 16)} `;
  if (fields.has('pid') && fields.has('tid')) {
    text += `${String(pid).padStart(7)}/${String(tid).padEnd(7)} `;
  } else if (fields.has('pid') || fields.has('tid')) {
    text += `${String(fields.has('pid') ? pid : tid).padStart(7)} `;
  }
  if (fields.has('cpu')) text += `[${String(cpu).padStart(3, '0')}] `;
  if (fields.has('time') && timeNs !== null) text += `${formatTime(timeNs, nanoseconds)}: `;
  return text;
}

function formatTime(timeNs: bigint, nanoseconds: boolean): string {
  const digits = timeNs.toString().padStart(10, '0');
  const seconds = digits.slice(0, -9).padStart(5);
  const fraction = digits.slice(-9);
  return nanoseconds ? `${seconds}.${fraction}` : `${seconds}.${fraction.slice(0, 6)}`.padStart(12);
}

/** The text that perf prints before the address. */
function valuesText(sample: SampleText, fields: FieldSet): string {
  const { context } = sample;
  let text = '';
  if (fields.has('addr')) {
    text += SCRIPT_FIELDS.addr(context);
    if (isAddressOfCode(context.attr)) {
      const named = sample.frame(context.sample.addr);
      if (fields.has('sym')) text += ` ${symbolText(named, fields)}`;
      if (fields.has('dso')) text += ` ${dsoText(named)}`;
    }
  }
  if (fields.has('data_src')) text += SCRIPT_FIELDS.data_src(context);
  if (fields.has('weight')) text += SCRIPT_FIELDS.weight(context);
  if (fields.has('ins_lat')) text += SCRIPT_FIELDS.ins_lat(context);
  if (fields.has('retire_lat')) text += SCRIPT_FIELDS.retire_lat(context);
  if (fields.has('cgroup')) text += ` ${sample.context.sample.cgroup}`;
  return text;
}

/** The text that perf prints behind the address. */
function lateText({ context, frame }: SampleText, fields: FieldSet): string {
  let text = '';
  if (fields.has('iregs')) text += ` ${SCRIPT_FIELDS.iregs(context)} `;
  if (fields.has('uregs')) text += ` ${SCRIPT_FIELDS.uregs(context)} `;
  if (fields.has('brstack')) text += ` ${SCRIPT_FIELDS.brstack(context)} `;
  else if (fields.has('brstacksym')) text += branchSymbols(context, frame, fields);
  if (fields.has('phys_addr')) text += ` ${SCRIPT_FIELDS.phys_addr(context)}`;
  if (fields.has('data_page_size')) text += ` ${SCRIPT_FIELDS.data_page_size(context)}`;
  if (fields.has('code_page_size')) text += ` ${SCRIPT_FIELDS.code_page_size(context)}`;
  if (fields.has('transaction')) text += ` ${SCRIPT_FIELDS.transaction(context)}`;
  return text;
}

function branchSymbols(
  context: SampleContext,
  frame: SampleText['frame'],
  fields: FieldSet,
): string {
  const end = (address: number): string => symbolText(frame(address), fields);
  return branches(context)
    .map((branch) => ` ${end(branch.from)}/${end(branch.to)}${formatBranchFlags(branch)}`)
    .join('');
}

function frameText(frame: NamedFrame, fields: FieldSet): string {
  const words: string[] = [];
  if (fields.has('ip')) words.push(frame.ip.slice(2).padStart(16));
  if (fields.has('sym')) words.push(symbolText(frame, fields));
  if (frame.inlined) words.push('(inlined)');
  else if (fields.has('dso')) words.push(dsoText(frame));
  return words.join(' ') + (fields.has('srcline') ? lineText(frame) : '');
}

/** The line as perf prints it: one of its own, the file without its folder. */
function lineText({ file, line }: NamedFrame): string {
  return file === undefined
    ? ''
    : `\n  ${printable(file.slice(file.lastIndexOf('/') + 1))}:${line}`;
}

function symbolText({ symbol, offset }: NamedFrame, fields: FieldSet): string {
  if (symbol === null) return '[unknown]';
  return fields.has('symoff')
    ? `${printable(symbol)}+0x${(offset ?? 0).toString(16)}`
    : printable(symbol);
}

function dsoText({ dso }: NamedFrame): string {
  return `(${printable(dso ?? '[unknown]')})`;
}

/** Whether the data address is where the event happened, so that perf names it. */
function isAddressOfCode({ type, config }: EventAttr): boolean {
  return (
    type === PERF_TYPE.SOFTWARE &&
    (config === BigInt(PERF_COUNT_SW.PAGE_FAULTS) ||
      config === BigInt(PERF_COUNT_SW.PAGE_FAULTS_MIN) ||
      config === BigInt(PERF_COUNT_SW.PAGE_FAULTS_MAJ))
  );
}
