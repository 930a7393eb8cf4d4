import { parseHexAddress } from '../../base/u64.ts';
import type { ImportedFrame } from './imported-profile.ts';

/** The line that begins a sample. Numbers are −1, the others null, where it has none. */
export type HeadLine = {
  readonly comm: string;
  readonly pid: number;
  readonly tid: number;
  readonly cpu: number;
  readonly time: bigint | null;
  readonly period: number | null;
  readonly event: string | null;
  /** The text behind the event: a tracepoint's fields, or the only address. */
  readonly rest: string;
};

// java 24636/25607 [000] d..1. 4794564.109216:    1001001 cycles:u:  7f72 main+0x4 (/bin/x)
// comm pid/tid     cpu   flags time:               period event:      rest
//
// Lines may be of any length, so no two neighbours here can share a run of characters in several
// ways: a comm is words, with spaces between them and none at its ends.
const WHO = String.raw`^(?:\s*(?<comm>\S+(?:\s+\S+)*?))?\s+(?<pid>-?\d+)(?:\/(?<tid>-?\d+))?`;
// Flags have a letter or a dot: digits alone are the tid, of a comm that ends in a number.
const WHERE = String.raw`(?:\s+\[(?<cpu>\d+)\])?(?:\s+(?=\d*[.A-Za-z])[.\dA-Za-z]{4,6})?`;
// perf prints six or nine digits of a fraction; scripts that write such lines print fewer.
const WHEN = String.raw`\s+(?<seconds>\d+)\.(?<fraction>\d{1,9}):`;
const WHAT = String.raw`(?:\s+(?<period>\d+))?(?:\s+(?<event>\S+?):(?=\s|$))?(?:\s+(?<rest>.*))?$`;
const TIMED = new RegExp(WHO + WHERE + WHEN + WHAT, 's');
const TIME = /\d\.\d{1,9}:/;
// Without a time, or with whole seconds, the event has to be there: nothing else distinguishes such
// a line from a frame. An event's name is not a number.
const WHOLE_SECONDS = String.raw`(?::|\s+(?<seconds>\d+):)?`;
const SURE_EVENT = String.raw`(?:\s+(?<period>\d+))?\s+(?<event>(?!\d+(?:\.\d+)?:)[^\s:]\S*?):(?=\s|$)`;
const UNTIMED = new RegExp(
  `${WHO}${WHERE}${WHOLE_SECONDS}${SURE_EVENT}${String.raw`(?:\s+(?<rest>.*))?$`}`,
  's',
);

/** A line with a time is a head wherever it stands. */
export function parseTimedHead(line: string): HeadLine | null {
  // Most lines are frames: those are known by what they lack, in one pass.
  return TIME.test(line) ? toHead(TIMED, line) : null;
}

/** Whether a head is that of a record which is no sample, as `perf script --show-mmap-events` prints it. */
export function isOtherRecord({ event, rest }: HeadLine): boolean {
  return OTHER_RECORD.test(event ?? rest);
}

const OTHER_RECORD = /^PERF_RECORD_(?!SAMPLE\b)[A-Z]/;

/** One without is, where no frame is expected. */
export function parseUntimedHead(line: string): HeadLine | null {
  return toHead(UNTIMED, line);
}

/** Longer lines are cut: the regular expressions would overflow their stack. */
const MAX_HEAD_LENGTH = 64 * 1024;

function toHead(form: RegExp, line: string): HeadLine | null {
  const groups = form.exec(line.slice(0, MAX_HEAD_LENGTH))?.groups;
  if (groups === undefined) return null;
  const { comm, pid, tid, cpu, seconds, fraction, period, event, rest } = groups as Record<
    string,
    string | undefined
  >;
  // One number alone is the tid.
  return {
    comm: comm ?? '',
    pid: tid === undefined ? -1 : Number(pid),
    tid: Number(tid ?? pid),
    cpu: cpu === undefined ? -1 : Number(cpu),
    time:
      seconds === undefined
        ? null
        : BigInt(seconds) * 1_000_000_000n + BigInt((fraction ?? '').padEnd(9, '0')),
    period: period === undefined ? null : Number(period),
    event: event ?? null,
    rest: rest ?? '',
  };
}

//   7f3b2c1d main+0x12 (/usr/bin/app)
//   7f3b2c1d std::vector<int>::push_back (inlined)
//   7f3b2c1d [unknown] (/memfd:x (deleted))
//   7f3b2c1d main+0x12                       without -F dso
//   7f3b2c1d                                 without -F sym
const FRAME = /^\s*([0-9a-f]{1,16})(?:\s+(.*))?$/s;
const OFFSET = /\+0x[0-9a-f]+$/;

/** A line of a callchain; `inlined` has the DSO and depth of the function around it set later. */
export type FrameLine = Omit<ImportedFrame, 'inlineDepth'> & { readonly isInlined: boolean };

/** Null if the line does not begin with an address. */
export function parseFrame(line: string): FrameLine | null {
  const match = FRAME.exec(line);
  if (match === null) return null;
  const address = parseHexAddress(match[1]);
  const rest = match[2] ?? '';
  const open = dsoStart(rest);
  const dso = open < 0 ? null : rest.slice(open + 1, rest.lastIndexOf(')'));
  const name = (open < 0 ? rest : rest.slice(0, open).trimEnd()).replace(OFFSET, '');
  const isInlined = dso === 'inlined';
  return {
    name: name === '' ? '[unknown]' : name,
    dso: isInlined ? null : dso,
    address,
    isInlined,
  };
}

/** `Render+0x10 (/home/u/Program Files (x86)/game.exe)`: nothing but the DSO stands behind an offset. */
const BEHIND_OFFSET = /\+0x[0-9a-f]+ \(/;

/** Offset of the last bracket that is not part of the DSO's name; −1 without a DSO. */
function dsoStart(rest: string): number {
  if (!/\)\s*$/.test(rest)) return -1;
  const behind = BEHIND_OFFSET.exec(rest);
  if (behind !== null) return behind.index + behind[0].length - 1;
  const isDeleted = /\(deleted\)\)\s*$/.test(rest);
  const last = rest.lastIndexOf(' (');
  const open = isDeleted ? rest.lastIndexOf(' (', last - 1) : last;
  if (open >= 0) return open + 1;
  return rest.startsWith('(') ? 0 : -1;
}
