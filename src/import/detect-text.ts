import { memorySource } from '../base/byte-source.ts';
import { parseFrame, parseTimedHead, parseUntimedHead } from './perf-script-line.ts';
import { forEachLine } from './text-lines.ts';

/** How much of a file is looked at. */
export const DETECT_BYTES = 64 * 1024;

const FOLDED_LINE = /^[^\s;].*\s\d+(\.\d+)?\s*$/;
/** Of the lines that were looked at, so many have to be understood. */
const LEAST_SHARE = 0.9;

/**
 * What the text that begins with `head` is: by its lines, not by its name. Null for anything that
 * is not clearly one of the two, binary data first of all.
 */
export function detectText(head: Uint8Array): 'perf-script' | 'folded' | null {
  const bytes = head.subarray(0, DETECT_BYTES);
  if (bytes.length === 0 || bytes.includes(0)) return null;
  const lines: string[] = [];
  forEachLine(memorySource(bytes), (line) => {
    if (!line.startsWith('#') && line.trim() !== '') lines.push(line);
  });
  // The last line may be cut.
  if (lines.length > 1 && bytes.length === DETECT_BYTES) lines.pop();
  const first = lines[0];
  if (first === undefined) return null;
  if (parseTimedHead(first) !== null || isUntimedStart(lines)) return 'perf-script';
  const folded = lines.filter((line) => FOLDED_LINE.test(line)).length;
  // Samples without a stack are lines with a comm alone.
  const stacks = lines.some((line) => line.includes(';')) || lines.every(isCommAlone);
  return stacks && folded >= LEAST_SHARE * lines.length ? 'folded' : null;
}

function isCommAlone(line: string): boolean {
  return /^[^\s;]+ \d+$/.test(line);
}

/** Without times, a head and a frame below it are needed to be sure. */
function isUntimedStart([first = '', second = '']: readonly string[]): boolean {
  const head = parseUntimedHead(first);
  if (head === null) return false;
  return /^\s/.test(second) ? parseFrame(second) !== null : parseUntimedHead(second) !== null;
}
