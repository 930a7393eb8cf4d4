import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import type { ProfileEvent, ProfileMeta } from '../../profile/types.ts';
import {
  type ImportedFrame,
  type ImportedProfile,
  ImportedProfileBuilder,
  importedEvent,
} from './imported-profile.ts';
import {
  type FrameLine,
  type HeadLine,
  isOtherRecord,
  parseFrame,
  parseTimedHead,
  parseUntimedHead,
} from './perf-script-line.ts';
import { forEachLine } from './text-lines.ts';

/** Name of the event where the text does not print one. */
const NAMELESS_EVENT = 'event';
const CLOCKS = /^(cpu|task)-clock\b/;
const SOFTWARE_EVENTS =
  /^(cpu-clock|task-clock|page-faults|faults|minor-faults|major-faults|context-switches|cs|cpu-migrations|migrations|alignment-faults|emulation-faults|dummy|bpf-output|cgroup-switches)\b/;

/** `perf script` text as a profile. */
export function importPerfScript(
  source: ByteSource,
  builder = new ImportedProfileBuilder(),
): ImportedProfile {
  const reader = new PerfScriptReader(builder);
  forEachLine(source, (line) => reader.line(line), builder.limits.checkLine);
  return reader.finish();
}

/**
 * Reads line by line. A sample is a head line, the frames below it, innermost first, and an empty
 * line; without callchains it is the head line alone, its one frame behind the event:
 *
 *   dd 29776 666709.771979:   10101010 cpu-clock:
 *             414b3b fsnotify+0x1b (/lib/modules/4.1.0/build/vmlinux)
 *              e5f70 read (/lib/x86_64-linux-gnu/libc-2.15.so)
 *
 *   dd 29776 666709.772978:   10101010 cpu-clock:  ffffffff8103ce3b native_safe_halt ([kernel.kallsyms])
 */
class PerfScriptReader {
  readonly #builder: ImportedProfileBuilder;
  readonly #events: string[] = [];
  readonly #eventByName = new Map<string, number>();
  /** Per event, the period that all its samples have; null where they differ. */
  readonly #fixedPeriods: (number | null)[] = [];
  /** Events of which a sample has no period. */
  readonly #lackingPeriods = new Set<number>();
  readonly #comments: string[] = [];
  #head: HeadLine | null = null;
  #frames: FrameLine[] = [];
  // Fields that at least one sample lacks, for the notes.
  #samples = 0;
  #otherRecords = 0;
  readonly #lacks = { time: 0, cpu: 0, pid: 0, period: 0, event: 0 };

  constructor(builder: ImportedProfileBuilder) {
    this.#builder = builder;
  }

  line(line: string): void {
    if (line.startsWith('#')) {
      this.#comments.push(line);
      return;
    }
    if (line.trim() === '') {
      this.#endSample();
      return;
    }
    const timed = parseTimedHead(line);
    if (timed !== null) {
      if (isOtherRecord(timed)) this.#passOver();
      else this.#begin(timed);
      return;
    }
    if (this.#head !== null && /^\s/.test(line)) {
      const frame = parseFrame(line);
      if (frame !== null) {
        // stackcollapse-perf.pl: old versions of perf print process names as frames.
        if (!frame.name.startsWith('(')) this.#frames.push(frame);
        return;
      }
      // `-F +srcline` prints a separate line below each frame.
      if (/^\s+\S+(:\d+|\[[0-9a-f]+\])$/.test(line)) return;
    }
    const untimed = parseUntimedHead(line);
    if (untimed !== null && isOtherRecord(untimed)) this.#passOver();
    else if (untimed !== null) this.#begin(untimed);
    else this.#builder.skipLine(line);
  }

  finish(): ImportedProfile {
    this.#endSample();
    const meta = readComments(this.#comments);
    const events = this.#events.map((name, event) =>
      describeEvent(name, this.#fixedPeriods[event] ?? null, this.#lackingPeriods.has(event)),
    );
    return this.#builder.finish('perf-script', { ...meta, notes: this.#notes() }, events);
  }

  /** A record that is no sample: a mapping, a fork, a name. */
  #passOver(): void {
    this.#endSample();
    this.#otherRecords++;
  }

  #begin(head: HeadLine): void {
    this.#endSample();
    this.#head = head;
    const only = head.rest === '' ? null : parseFrame(head.rest);
    if (only !== null) this.#frames.push(only);
  }

  #endSample(): void {
    const head = this.#head;
    if (head === null) return;
    this.#count(head);
    const name = head.event ?? NAMELESS_EVENT;
    let event = this.#eventByName.get(name);
    if (event === undefined) {
      event = this.#events.push(name) - 1;
      this.#eventByName.set(name, event);
      this.#builder.limits.checkEvents(this.#events.length);
    }
    const { comm, pid, tid, cpu, time } = head;
    const period = head.period ?? 1;
    if (head.period === null) this.#lackingPeriods.add(event);
    if (this.#fixedPeriods.length === event) this.#fixedPeriods.push(period);
    else if (this.#fixedPeriods[event] !== period) this.#fixedPeriods[event] = null;
    this.#builder.addSample({ comm, pid, tid, cpu, time, event, period }, this.#stack());
    this.#head = null;
    this.#frames = [];
  }

  /** Frames from the root inwards: an inlined call precedes the function that it is part of. */
  #stack(): number {
    let stack: number = NONE;
    let around: FrameLine | null = null;
    let depth = 0;
    for (let i = this.#frames.length - 1; i >= 0; i--) {
      const frame = this.#frames[i];
      const isPart = frame.isInlined && around?.address === frame.address;
      depth = isPart ? depth + 1 : 0;
      if (!frame.isInlined) around = frame;
      const dso = isPart ? (around?.dso ?? null) : frame.dso;
      if (frame.name.includes('->')) {
        for (const part of splitInlined({ ...frame, dso, inlineDepth: depth })) {
          stack = this.#builder.stack(stack, part.name, dso, part.address, part.inlineDepth);
          depth = part.inlineDepth;
        }
      } else {
        stack = this.#builder.stack(stack, frame.name, dso, frame.address, depth);
      }
    }
    return stack;
  }

  #count(head: HeadLine): void {
    this.#samples++;
    if (head.time === null) this.#lacks.time++;
    if (head.cpu < 0) this.#lacks.cpu++;
    if (head.pid < 0) this.#lacks.pid++;
    if (head.period === null) this.#lacks.period++;
    if (head.event === null) this.#lacks.event++;
  }

  #notes(): string[] {
    const { time, cpu, pid, period, event } = this.#lacks;
    const all = this.#samples;
    const share = (count: number): string =>
      count === all ? 'no sample has' : `${count} of ${all} samples have no`;
    return [
      'read from the text of perf script: losses and streams are not known',
      ...(time > 0 ? [`${share(time)} a time`] : []),
      ...(cpu > 0 ? [`${share(cpu)} a CPU`] : []),
      ...(pid > 0 ? [`${share(pid)} a pid, only a tid`] : []),
      ...(period > 0 ? [`${share(period)} a period: such a sample counts as 1`] : []),
      ...(event > 0 ? [`${share(event)} an event`] : []),
      ...(this.#otherRecords > 0
        ? [`${this.#otherRecords} records that are no samples were left out`]
        : []),
    ];
  }
}

/** Java agents write inlined calls of JIT code as `outer->inner`. */
function splitInlined(frame: ImportedFrame): readonly ImportedFrame[] {
  const isJit = frame.dso !== null && /\/perf-\d+\.map$/.test(frame.dso);
  if (!isJit) return [frame];
  return frame.name
    .split('->')
    .map((name, index) => ({ ...frame, name, inlineDepth: frame.inlineDepth + index }));
}

function describeEvent(
  name: string,
  fixedPeriod: number | null,
  lacksPeriods: boolean,
): ProfileEvent {
  const isClock = CLOCKS.test(name);
  const { HARDWARE, SOFTWARE, TRACEPOINT } = PERF_TYPE;
  const isSoftware = SOFTWARE_EVENTS.test(name);
  const isTracepoint = !isSoftware && /^[A-Za-z_]\w*:[A-Za-z_]\w{2,}/.test(name);
  return {
    ...importedEvent(name, isClock ? 'nanoseconds' : 'events'),
    type: isSoftware ? SOFTWARE : isTracepoint ? TRACEPOINT : HARDWARE,
    fixedPeriod,
    // Samples that count as 1 are no nanoseconds.
    unit: isClock && !lacksPeriods ? 'nanoseconds' : 'events',
    ...(lacksPeriods && { lacksPeriods }),
  };
}

/** The header that `perf script --header` prints as comments. */
function readComments(comments: readonly string[]): Partial<ProfileMeta> {
  const value = (key: string): string | null => {
    const line = comments.find((comment) => new RegExp(`^# ${key}\\s*:`).test(comment));
    return line === undefined ? null : line.slice(line.indexOf(':') + 1).trim();
  };
  return {
    hostname: value('hostname'),
    kernel: value('os release'),
    arch: value('arch'),
    commandLine: value('cmdline')?.split(' ') ?? [],
  };
}
