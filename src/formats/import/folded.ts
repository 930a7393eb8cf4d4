import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import {
  type ImportedFrame,
  type ImportedProfile,
  ImportedProfileBuilder,
  importedEvent,
} from './imported-profile.ts';
import { forEachLine } from './text-lines.ts';

/** A line with more than this is not written out sample by sample. */
const MAX_SAMPLES = 1 << 22;

const KERNEL = '[kernel.kallsyms]';
const JIT = '[JIT]';

/**
 * Folded stacks as a profile: `comm;outermost;…;innermost weight`, as stackcollapse-perf.pl and
 * perf-ts write them. A weight is a number of samples, each a sample of the profile, unless it is
 * no whole number or all together are too many: then a line is one sample, with the weight as
 * period.
 */
export function importFolded(
  source: ByteSource,
  builder = new ImportedProfileBuilder(),
): ImportedProfile {
  let total = 0;
  let areWhole = true;
  const readLine = (text: string): void => {
    if (text.trim() === '' || text.startsWith('# ')) return;
    const parts = splitFoldedLine(text);
    if (parts === null) {
      builder.skipLine(text);
      return;
    }
    const frames = splitFrames(parts.stack);
    const [comm = '', ...names] = isFunctionAlone(parts.stack) ? ['', ...frames] : frames;
    let stack: number = NONE;
    let depth = 0;
    for (const name of names) {
      const frame = parseFoldedFrame(name, depth);
      stack = builder.stack(stack, frame.name, frame.dso, frame.address, frame.inlineDepth);
      depth = frame.inlineDepth;
    }
    const { weight } = parts;
    const sample = { comm, pid: NONE, tid: NONE, cpu: NONE, time: null, event: 0, period: weight };
    builder.addSample(sample, stack);
    total += weight;
    areWhole &&= Number.isInteger(weight);
  };
  forEachLine(source, readLine, builder.limits.checkLine);
  const areCounts = total <= MAX_SAMPLES && areWhole;
  if (areCounts) builder.takePeriodsAsCounts();
  const fixedPeriod = areCounts ? 1 : null;
  const event = { ...importedEvent('event', 'events'), type: PERF_TYPE.HARDWARE, fixedPeriod };
  const notes = [
    'read from folded stacks: event, times, threads, CPUs and losses are not known',
    areCounts
      ? 'the numbers of the lines are taken as samples'
      : 'the numbers of the lines are taken as events, each line as one sample',
    'the uncertainty of shares is unknown: a line sums samples of unknown times',
  ];
  return builder.finish('folded', { notes }, [event]);
}

/** A line's stack and the number behind it; null for a line that does not end with one. */
export function splitFoldedLine(line: string): { stack: string; weight: number } | null {
  // From the end, in one pass: lines may be of any length.
  const text = line.trimEnd();
  let start = text.length;
  while (start > 0 && isOfNumber(text.charCodeAt(start - 1))) start--;
  const number = text.slice(start);
  const stack = text.slice(0, start).trimEnd();
  if (stack.length === start || !/^\d+(?:\.\d+)?$/.test(number)) return null;
  return { stack, weight: Number(number) };
}

/** One function without a process: `fill(unsigned int, int)+0x2a`. A comm alone is a sample without a stack. */
export function isFunctionAlone(stack: string): boolean {
  return !stack.includes(';') && /[\w>~]\(|::|\+0x[\da-f]/.test(stack);
}

/** A digit or the point. */
function isOfNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

/**
 * The frames of a stack. A script that leaves the `;` of a Java class in the name writes
 * `java;Lcom/foo/Bar;::baz 1`: that is one frame, since no function begins with `::`.
 */
function splitFrames(stack: string): string[] {
  const frames: string[] = [];
  for (const part of stack.split(';')) {
    const last = frames.length - 1;
    const isMethod = part.startsWith('::') && last > 0 && JAVA_CLASS.test(frames[last]);
    if (isMethod) frames[last] += `;${part}`;
    else frames.push(part);
  }
  return frames;
}

const JAVA_CLASS = /^L[\w$]+(?:\/[\w$]+)*$/;

/** No name in a line of folded stacks ends in a space and a number. */
const JIT_OF_PROCESS = /^\[JIT\] tid[ _](\d+)$/;

// main_[k] kernel, main_[j] JIT, main_[i] inlined into the frame before it
const ANNOTATION = /_\[([kji])\]$/;

/**
 * `[libc.so.6]` is code of that file without a symbol, `[JIT] tid_12` of that process; `depth` is the
 * frame's before it.
 */
function parseFoldedFrame(text: string, depth: number): ImportedFrame {
  const annotation = ANNOTATION.exec(text)?.[1];
  const name = annotation === undefined ? text : text.slice(0, -'_[k]'.length);
  const inlineDepth = annotation === 'i' ? depth + 1 : 0;
  const jitPid = JIT_OF_PROCESS.exec(name)?.[1];
  const unnamed =
    jitPid !== undefined ? `[JIT] tid ${jitPid}` : /^\[(?!unknown\]|lost\])(.+)\]$/.exec(name)?.[1];
  if (unnamed !== undefined) {
    return { name: '[unknown]', dso: unnamedDso(unnamed, annotation), address: null, inlineDepth };
  }
  const dso = annotation === 'k' ? KERNEL : annotation === 'j' ? JIT : null;
  return { name, dso, address: null, inlineDepth };
}

/** `[[vdso]]` and `[kernel.kallsyms]` both occur for names that contain brackets. */
function unnamedDso(name: string, annotation: string | undefined): string {
  if (name.startsWith('[') || annotation !== 'k') return name;
  return name.startsWith('kernel') || name.startsWith('guest') ? `[${name}]` : name;
}
