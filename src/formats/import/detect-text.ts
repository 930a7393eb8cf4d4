import { memorySource } from '../../base/byte-source.ts';
import { isFunctionAlone } from './folded.ts';
import { parseFrame, parseTimedHead, parseUntimedHead } from './perf-script-line.ts';
import { isPprof } from './pprof-message.ts';
import { forEachLine } from './text-lines.ts';

/** Bytes of a file that are examined. */
export const DETECT_BYTES = 64 * 1024;

const FOLDED_LINE = /^[^\s;].*\s\d+(\.\d+)?\s*$/;
/** A line with a stack: `VM Thread;start;g 3`. */
const STACK_LINE = /^[^;]+;.*\s\d+(\.\d+)?\s*$/;
const COMM_ALONE = /^[^\s;]+ \d+$/;
/** Minimum share of the examined lines that are folded, if one is a stack; or that are stacks. */
const MIN_SHARE = 0.9;
const MIN_STACKS = 0.5;

/** The first key of a profile: its nodes, or their tree, of which older ones name functions directly. */
const DEVTOOLS =
  /^\s*\{[\s\S]*(?:"(?:callFrame|timeDeltas)"\s*:|"head"\s*:\s*\{\s*"functionName"\s*:)/;

/** The facts about a profile of profiler.firefox.com, which it begins with. */
const FIREFOX =
  /^\s*\{\s*"meta"\s*:\s*\{[\s\S]*"(?:preprocessedProfileVersion|markerSchema|sampleUnits)"\s*:/;

/** A trace of Chrome, DevTools or Node: its events, the first one's members in any order. */
const TRACE =
  /^\s*(?:\{[\s\S]*"traceEvents"\s*:\s*\[|\[\s*\{(?=[^\]]*"ph"\s*:)(?=[^\]]*"pid"\s*:))/;

/** The schema that a speedscope file names, or the beginnings of its two parts. */
const SPEEDSCOPE = new RegExp(
  String.raw`^\s*\{[\s\S]*(?:"\$schema"\s*:\s*"https?://www\.speedscope\.app/|` +
    String.raw`"shared"\s*:\s*\{\s*"frames"\s*:|"type"\s*:\s*"(?:evented|sampled)"\s*[,}])`,
);

/** The files that are distinguished. */
export type TextFormat = 'perf-script' | 'folded' | 'devtools' | 'firefox' | 'speedscope' | 'pprof';

/**
 * The kind of text that begins with `head`: by its lines, not by its name. Null for anything that
 * is not clearly one of them, binary data first of all. Lines that are neither may stand among
 * them, as messages that went into the same file. `devtools` is a .cpuprofile, a .heapprofile or a trace.
 */
export function detectText(head: Uint8Array): TextFormat | null {
  const bytes = head.subarray(0, DETECT_BYTES);
  if (bytes.length === 0) return null;
  if (isPprof(bytes)) return 'pprof';
  if (bytes.includes(0)) return null;
  const text = new TextDecoder().decode(bytes);
  if (FIREFOX.test(text)) return 'firefox';
  if (DEVTOOLS.test(text) || TRACE.test(text)) return 'devtools';
  if (SPEEDSCOPE.test(text)) return 'speedscope';
  const lines: string[] = [];
  forEachLine(memorySource(bytes), (line) => {
    if (!line.startsWith('#') && line.trim() !== '') lines.push(line);
  });
  // The last line may be cut.
  if (lines.length > 1 && bytes.length === DETECT_BYTES) lines.pop();
  if (lines.length === 0) return null;
  if (isSampleStart(lines[0], 0, lines)) return 'perf-script';
  if (isFolded(lines)) return 'folded';
  return lines.some(isSampleStart) ? 'perf-script' : null;
}

function isFolded(lines: readonly string[]): boolean {
  const shareOf = (form: RegExp) => lines.filter((line) => form.test(line)).length / lines.length;
  // Samples without a stack are lines with a comm alone.
  if (shareOf(COMM_ALONE) === 1) return true;
  const alone = lines.filter(isFunctionAlone).length / lines.length;
  if (shareOf(FOLDED_LINE) === 1 && alone >= MIN_STACKS) return true;
  const stacks = shareOf(STACK_LINE);
  return stacks >= MIN_STACKS || (stacks > 0 && shareOf(FOLDED_LINE) >= MIN_SHARE);
}

/** A line with a time begins a sample; one without needs a frame or another head below it. */
function isSampleStart(line: string, index: number, lines: readonly string[]): boolean {
  if (parseTimedHead(line) !== null) return true;
  if (parseUntimedHead(line) === null) return false;
  const below = lines[index + 1] ?? '';
  return /^\s/.test(below) ? parseFrame(below) !== null : parseUntimedHead(below) !== null;
}
