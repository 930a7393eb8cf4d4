import { NONE } from '../base/brand.ts';
import { FailedError } from '../base/errors.ts';
import { finish, type Slices } from '../base/slices.ts';
import { StringTable } from '../base/string-table.ts';
import { readTimeSince, toRawTime } from '../base/u64.ts';
import { ProcessTable } from '../code/process/process-table.ts';
import type { DescribedDiagnostic } from '../findings/diagnostic-text.ts';
import { describeDiagnostics } from '../findings/diagnostic-text.ts';
import {
  copyAppendix,
  readAppendix,
  type WrittenAttachment,
} from '../formats/perf-data/appendix.ts';
import { FEATURE } from '../formats/perf-data/features.ts';
import { encodePipeAppendix } from '../formats/perf-data/pipe-appendix.ts';
import type { PipeEvent } from '../formats/perf-data/pipe-writer.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import type { RecordVisitor } from '../formats/perf-data/record-visitor.ts';
import { encodeAttr } from '../kernel/perf-event/attr.ts';
import {
  PERF_RECORD,
  PERF_RECORD_USER_TYPE_START,
  recordTypeName,
} from '../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import { decodeRecord } from '../kernel/perf-event/record.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import { TracepointFormats } from '../kernel/tracepoint/tracepoint-formats.ts';
import { checkArguments } from '../options/arguments.ts';
import { checkOptions } from '../options/check.ts';
import { refuseExportName } from '../options/export.ts';
import { INJECT, REWRITE, type RewriteOptions } from '../options/inject.ts';
import { applyToProcesses } from '../read/apply-side-band.ts';
import { PROVENANCE_ATTACHMENT } from '../read/facts/provenance.ts';
import { limitProcesses } from '../read/files/reading-limits.ts';
import { POOL_WORK_ATTACHMENT } from '../read/jit/attachment-names.ts';
import { openUnwindingCode } from '../read/jit/jit-files.ts';
import { withRecording } from '../read/open-recording.ts';
import { visitInTimeOrderInSlices } from '../read/ordered-records.ts';
import { Selector } from '../read/selector.ts';
import { openUnwinder } from '../read/unwind/open-unwinder.ts';
import { completesStacks, type StackUnwinder } from '../read/unwind/unwind-stacks.ts';
import { asWriteFailure } from '../system/files/output-file.ts';
import { plainOutput } from '../system/files/stream-place.ts';
import { BuildIdList } from './build-id-list.ts';
import { CountCutter } from './cut-counts.ts';
import { changeEvent, dropsStacks, type EventChange } from './event-change.ts';
import { kernelAddressesOf } from './kernel-marker.ts';
import { Labels } from './labels.ts';
import { openRewriteOutput, type RewriteOutput } from './output.ts';
import { RawCleaner } from './raw-cleaner.ts';
import { RecordBuffer } from './record-buffer.ts';
import { SampleRewriter } from './sample-rewriter.ts';
import { rewriteSections } from './sections.ts';
import { isKnownType, SideBandRewriter } from './side-band.ts';

/** Counts of what a rewrite kept and removed. */
export type RewriteSummary = {
  readonly samples: number;
  readonly samplesKept: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Parts that are not in the output and were not asked to go, with counts; for the user to see. */
  readonly leftOut: readonly { readonly reason: string; readonly count: number }[];
  /** Offset at which the input was cut; null if it is whole. */
  readonly truncatedAt: number | null;
  /** Broken or missing parts of the input. */
  readonly diagnostics: readonly DescribedDiagnostic[];
};

/** Enough to read fast; memory does not grow with the recording. */
const SEGMENT_BYTES = 8 << 20;
/** Bytes that readers have to hold back until a round ends. */
const ROUND_BYTES = 1 << 20;

/**
 * Writes the recording at `input` (`-`: standard input) again, changed as `options` say, to the
 * file `output` or, for `-`, as a pipe to standard output. The result is a perf.data of the same byte
 * order that other tools read; what was compressed is not any more. Losses and the records that
 * describe processes stay, whichever samples are selected.
 *
 * Throws like `openProfile`, and `FailedError` if the output can't be written; a file that stood
 * there is then there again.
 *
 * @example
 * ```ts
 * import { type RewriteOptions, rewriteRecording } from 'perf-ts';
 *
 * const options: RewriteOptions = { anonymize: true, select: { time: '0%-50%' } };
 * const { samples, samplesKept } = rewriteRecording('perf.data', 'to-share.data', options);
 * console.log(`${samplesKept} of ${samples} samples`);
 * ```
 */
export function rewriteRecording(
  input: string,
  output: string,
  options: RewriteOptions = {},
): RewriteSummary {
  checkArguments({ input, output });
  refuseExportName(INJECT.output, output);
  checkOptions(REWRITE, options, 'a rewrite');
  const rewrite = (data: PerfData): RewriteSummary => {
    const openOutput = () => openRewriteOutput(output);
    try {
      return finish(rewriteInSlices(data, input, openOutput, options));
    } catch (error) {
      throw asWriteFailure(plainOutput(output) === '-' ? 'standard output' : output, error);
    }
  };
  return withRecording(input, rewrite, options);
}

/** Writes an open recording again; `path` is where it lies. Errors are as they come. */
export function* rewriteInSlices(
  data: PerfData,
  path: string,
  openOutput: () => RewriteOutput,
  options: RewriteOptions,
): Slices<RewriteSummary> {
  const rewriter = Rewriter.open(data, path, options);
  const sink = openOutput();
  try {
    yield* rewriter.run(sink);
    return rewriter.summary(sink.close());
  } catch (error) {
    sink.discard();
    throw error;
  }
}

/** The parts of a rewriter that take reading. */
type KnownBefore = {
  readonly processes: ProcessTable;
  readonly selector: Selector;
  readonly counts: CountCutter | null;
  /** Null: raw data stay as they are, or the recording has no formats. */
  readonly formats: TracepointFormats | null;
  readonly unwinder: StackUnwinder | null;
};

class Rewriter {
  readonly #data: PerfData;
  readonly #options: RewriteOptions;
  readonly #changes: readonly EventChange[];
  readonly #samples: readonly (SampleRewriter | null)[];
  /** Samples of no event of the recording: they may stay where none is taken apart. */
  readonly #unknown: 'unreadable' | null;
  readonly #sideBand: SideBandRewriter;
  readonly #selector: Selector;
  /** Null: the counters' values stay as they are. */
  readonly #counts: CountCutter | null;
  readonly #labels: Labels | null;
  readonly #buildIds: BuildIdList;
  /** Null: samples are written as they lie in the file. */
  readonly #unwinder: StackUnwinder | null;
  readonly #processes: ProcessTable;
  #roundBytes = 0;
  readonly #leftOut = new Map<string, number>();
  #sampleCount = 0;
  #keptCount = 0;
  #firstNs = Number.POSITIVE_INFINITY;
  #lastNs = Number.NEGATIVE_INFINITY;

  /** Reads what has to be known before the first record is written. */
  static open(data: PerfData, path: string, options: RewriteOptions): Rewriter {
    if (data.attrs.length === 0) {
      throw new FailedError('the recording lists no events: there is nothing to write');
    }
    const processes = new ProcessTable(new StringTable());
    limitProcesses(processes, data);
    const selector = Selector.open(data, options.select ?? {});
    return new Rewriter(data, options, {
      processes,
      selector,
      counts: CountCutter.read(data, selector),
      formats: cleansRaw(options) ? readFormats(data) : null,
      unwinder: dropsStacks(options) ? openStackUnwinder(data, processes, path, options) : null,
    });
  }

  constructor(data: PerfData, options: RewriteOptions, known: KnownBefore) {
    const { littleEndian, features, startTime } = data;
    this.#data = data;
    this.#processes = known.processes;
    this.#options = options;
    this.#labels = options.anonymize === true ? new Labels(options.salt) : null;
    const kernel =
      options.stripKernel === true ? kernelAddressesOf(features.arch, littleEndian) : null;
    const cleans = cleansRaw(options);
    this.#changes = data.attrs.map((event) => changeEvent(event, options));
    this.#unwinder = known.unwinder;
    this.#samples = data.attrs.map(({ info, attr }, index) => {
      const change = this.#changes[index];
      if (!change.isDecoded) return null;
      const format = known.formats?.of(Number(attr.config)) ?? null;
      const raw = cleans ? new RawCleaner(format, kernel, this.#labels, littleEndian) : null;
      const unwinder = completesStacks(attr) ? this.#unwinder : null;
      const unwinding = unwinder && { unwinder, attrIndex: index, startTime };
      return new SampleRewriter(info, change.removed, kernel, raw, unwinding);
    });
    this.#unknown = this.#samples.every((rewriter) => rewriter === null) ? null : 'unreadable';
    const buildIds = options.buildIds ?? 'keep';
    this.#sideBand = new SideBandRewriter(kernel, this.#labels, buildIds, littleEndian);
    this.#buildIds = new BuildIdList(data, buildIds, this.#labels);
    this.#selector = known.selector;
    this.#counts = known.counts;
  }

  *run(sink: RewriteOutput): Slices<void> {
    const { littleEndian } = this.#data;
    const events = this.#events(sink.isPipe);
    const before = sink.isPipe ? this.#sections(events, false) : [];
    sink.head(events, before, littleEndian);
    const buffer = new RecordBuffer((bytes) => sink.write(bytes));
    const visitor: RecordVisitor = {
      record: (record) => {
        if (record.type === PERF_RECORD.SAMPLE) this.#sample(record, buffer);
        else this.#other(record, buffer);
      },
    };
    if (this.#unwinder === null) yield* this.#data.walkInSlices(visitor, SEGMENT_BYTES);
    else yield* this.#runInTimeOrder(visitor, buffer);
    buffer.flush();
    this.#unwinder?.close();
    this.#buildIds.readFiles();
    sink.tail(this.#sections(events, true), littleEndian);
    this.#writeAppendix(sink);
  }

  /** The names of JIT code stay with the recording; they are names. */
  #writeAppendix(sink: RewriteOutput): void {
    if (this.#labels !== null) return;
    // That of a pipe is in the header of the output, changed as it is asked.
    const isKept = (name: string): boolean => name !== PROVENANCE_ATTACHMENT;
    const added = this.#foundWork();
    if (!sink.isPipe) {
      for (const piece of copyAppendix(this.#data, isKept, added)) sink.write(piece);
      return;
    }
    const attachments = [...readAppendix(this.#data).filter(({ name }) => isKept(name)), ...added];
    if (attachments.length === 0) return;
    const { features, littleEndian } = this.#data;
    for (const part of encodePipeAppendix(attachments, features.version ?? '', littleEndian)) {
      sink.write(part);
    }
  }

  /** The findings in the copies of stacks, which go. */
  #foundWork(): WrittenAttachment[] {
    const bytes = this.#unwinder?.poolSamples?.encode() ?? null;
    if (bytes === null) return [];
    return [{ name: POOL_WORK_ATTACHMENT, packing: 'none', unpackedSize: bytes.length, bytes }];
  }

  /**
   * Unwinding needs to know what was mapped at the time of each sample, so the output is in the order
   * of time. Any place in it may then end a round.
   */
  *#runInTimeOrder(visitor: RecordVisitor, out: RecordBuffer): Slices<void> {
    const { littleEndian } = this.#data;
    const endRound = new Uint8Array(8);
    const view = new DataView(endRound.buffer);
    view.setUint32(0, PERF_RECORD.FINISHED_ROUND, littleEndian);
    view.setUint16(6, endRound.length, littleEndian);
    yield* visitInTimeOrderInSlices(this.#data, {
      record: (record) => {
        visitor.record(record);
        if (out.length - this.#roundBytes < ROUND_BYTES) return;
        out.append(endRound);
        this.#roundBytes = out.length;
      },
    });
  }

  summary(bytesWritten: number): RewriteSummary {
    const { source, threadFiles, truncatedAt, skippedBytes } = this.#data;
    if (skippedBytes > 0) this.#leaveOut('bytes that can not be read', skippedBytes);
    return {
      samples: this.#sampleCount,
      samplesKept: this.#keptCount,
      bytesRead: source.size + threadFiles.reduce((sum, file) => sum + file.size, 0),
      bytesWritten,
      leftOut: [...this.#leftOut].map(([reason, count]) => ({ reason, count })),
      truncatedAt: truncatedAt < 0 ? null : truncatedAt,
      diagnostics: describeDiagnostics(this.#data.diagnostics),
    };
  }

  // Hot: once per sample.
  #sample(record: RecordView, out: RecordBuffer): void {
    this.#sampleCount++;
    const event = this.#data.lookup.attrIndexOf(record);
    if (!this.#selector.sample(record, event)) return;
    const rewriter = event === UNKNOWN_EVENT ? this.#unknown : (this.#samples[event] ?? null);
    if (rewriter === null) {
      out.copyRecord(record);
    } else if (rewriter === 'unreadable' || !rewriter.rewrite(record, out)) {
      this.#leaveOut('samples whose fields can not be told apart', 1);
      return;
    }
    this.#counts?.rewrite(record, out.view, out.start);
    this.#keptCount++;
    const timeAt = this.#data.attrs[event]?.info.sampleTimeOffset ?? NONE;
    if (timeAt < 0 || timeAt + 8 > record.size) return;
    const { littleEndian, startTime } = this.#data;
    const timeNs = readTimeSince(record.view, record.offset + timeAt, littleEndian, startTime);
    if (timeNs < this.#firstNs) this.#firstNs = timeNs;
    if (timeNs > this.#lastNs) this.#lastNs = timeNs;
  }

  #other(record: RecordView, out: RecordBuffer): void {
    if (this.#isDropped(record)) return;
    const { type } = record;
    const event = this.#data.lookup.attrIndexOf(record);
    if (isOfCourse(type) && !this.#selector.other(record, event)) return;
    // Counts over more than what stays: over a thread's whole course, or of its children, too.
    if (type === PERF_RECORD.READ && this.#selector.isActive) {
      const inherits = this.#data.attrs[event]?.attr.flags.inherit === true;
      if (this.#selector.cutsThreads || inherits) return;
    }
    const trailerSize =
      type >= PERF_RECORD_USER_TYPE_START
        ? 0
        : (this.#data.attrs[event === UNKNOWN_EVENT ? 0 : event]?.info.trailerSize ?? 0);
    if (type === PERF_RECORD.MMAP || type === PERF_RECORD.MMAP2) {
      this.#buildIds.add(record, trailerSize);
    }
    if (this.#unwinder !== null && event !== UNKNOWN_EVENT) {
      const { info } = this.#data.attrs[event];
      applyToProcesses(
        this.#processes,
        decodeRecord(record, info),
        record.misc,
        this.#data.diagnostics,
      );
    }
    const rewritten = this.#sideBand.rewrite(record, trailerSize);
    if (rewritten === null) {
      if (!isKnownType(type)) {
        this.#leaveOut(`${recordTypeName(type)} records, of which nobody knows what they name`, 1);
      }
    } else if (rewritten === 'same') {
      out.copyRecord(record);
    } else {
      out.append(rewritten);
    }
  }

  /** Records that the output has in another place, or has no use for. */
  #isDropped({ view, offset, size, type }: RecordView): boolean {
    switch (type) {
      // Their contents are visited one by one.
      case PERF_RECORD.COMPRESSED:
      case PERF_RECORD.COMPRESSED2:
      // What these say is in the header of the output.
      case PERF_RECORD.HEADER_ATTR:
      case PERF_RECORD.HEADER_EVENT_TYPE:
      case PERF_RECORD.HEADER_FEATURE:
      case PERF_RECORD.HEADER_TRACING_DATA:
      case PERF_RECORD.HEADER_BUILD_ID:
        return true;
      case PERF_RECORD.EVENT_UPDATE: {
        const nameUpdate = 2;
        const at = this.#data.littleEndian ? offset + 8 : offset + 12;
        return (
          this.#data.pipe &&
          size >= 16 &&
          view.getUint32(at, this.#data.littleEndian) === nameUpdate
        );
      }
      case PERF_RECORD.FINISHED_ROUND:
        // A round of one thread's file says nothing about the next file's records.
        return this.#data.threadFiles.length > 0;
      case PERF_RECORD.AUXTRACE_INFO:
      case PERF_RECORD.AUXTRACE:
      case PERF_RECORD.AUXTRACE_ERROR:
        this.#leaveOut('records of AUX traces, which are not rewritten', 1);
        return true;
      default:
        return false;
    }
  }

  /**
   * The smallest attr will do in a file, and every perf reads it. In a pipe perf before 6.6 expects
   * attrs of the size that it writes itself: that of the input.
   */
  #events(isPipe: boolean): PipeEvent[] {
    const { attrs, littleEndian } = this.#data;
    return attrs.map(({ attr, ids, name }, index) => {
      const changed = this.#changes[index].attr;
      const leastSize = isPipe ? attr.size : 0;
      return {
        attrBytes: encodeAttr(changed, littleEndian, leastSize),
        ids,
        name: name === null ? null : (this.#labels?.event(name) ?? name),
      };
    });
  }

  #sections(events: readonly PipeEvent[], isAtEnd: boolean): ReturnType<typeof rewriteSections> {
    const { startTime } = this.#data;
    const hasTimes = isAtEnd && this.#firstNs <= this.#lastNs;
    return rewriteSections(this.#data, {
      events,
      stripsKernel: this.#options.stripKernel === true,
      labels: this.#labels,
      isPart: this.#selector.isActive,
      sampleTime: hasTimes
        ? { first: toRawTime(startTime, this.#firstNs), last: toRawTime(startTime, this.#lastNs) }
        : null,
      buildIds: this.#buildIds.entries(),
      leaveOut: (name) => {
        if (isAtEnd) this.#leaveOut(`header section ${name}`, 1);
      },
    });
  }

  #leaveOut(reason: string, count: number): void {
    this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + count);
  }
}

/** Whether raw data may have what is not to stay. */
function cleansRaw({ stripKernel, anonymize }: RewriteOptions): boolean {
  return stripKernel === true || anonymize === true;
}

function readFormats(data: PerfData): TracepointFormats | null {
  const tracing = data.sections.bytes(FEATURE.TRACING_DATA);
  return tracing === null ? null : TracepointFormats.parse(tracing);
}

function openStackUnwinder(
  data: PerfData,
  processes: ProcessTable,
  path: string,
  { symfs }: RewriteOptions,
): StackUnwinder | null {
  const sources = { ...(symfs !== undefined && { symfs }) };
  const { diagnostics } = data;
  const jit = openUnwindingCode({ ...sources, data, processes, diagnostics, path });
  return openUnwinder({ data, processes, jit }, sources);
}

/** Records of a thread's course, which go with its samples; losses and what describes stay. */
function isOfCourse(type: number): boolean {
  switch (type) {
    case PERF_RECORD.SWITCH:
    case PERF_RECORD.SWITCH_CPU_WIDE:
    case PERF_RECORD.THROTTLE:
    case PERF_RECORD.UNTHROTTLE:
    case PERF_RECORD.READ:
    case PERF_RECORD.CALLCHAIN_DEFERRED:
      return true;
    default:
      return false;
  }
}
