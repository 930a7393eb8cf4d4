import type { ByteSource } from '../../base/byte-source.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import { finish, type Slices } from '../../base/slices.ts';
import { type RawTime, readU64 } from '../../base/u64.ts';
import { EventLookup } from '../../kernel/perf-event/event-lookup.ts';
import { findAppendixDamage } from './appendix.ts';
import { completeEvents, type RecordedEvent, readFileAttrs } from './event-list.ts';
import { type Features, parseFeatures } from './feature-sections.ts';
import { FEATURE, FeatureSections } from './features.ts';
import {
  FILE_HEADER_SIZE,
  type FileHeader,
  type FileSection,
  type PipeHeader,
  parseHeader,
} from './header.ts';
import { readPipePreamble } from './pipe-preamble.ts';
import type { CreateZstdDecoder } from './record-inflater.ts';
import type { RecordVisitor } from './record-visitor.ts';
import { SEGMENT_BYTES } from './record-walk.ts';
import { StartTimeVisitor } from './start-time.ts';
import { type PartsEnd, type RecordParts, walkPartsInSlices } from './walk-parts.ts';

/** The first rounds, which hold the earliest time, are hardly ever longer. */
const START_SEGMENT_BYTES = 1 << 20;

export type OpenOptions = {
  /** How COMPRESSED records are inflated; without it their contents are not read. */
  readonly createZstdDecoder?: CreateZstdDecoder;
  /**
   * `perf record --threads` writes a directory: `source` is its file `data`, these are data.0,
   * data.1 …, one per recording thread, with records and nothing else in them.
   */
  readonly threadFiles?: readonly ByteSource[];
  /** Bytes that its compressed records may inflate to. Default: what their size explains. */
  readonly mostUnpacked?: number | null;
  /** Names of tracepoints by id, from the tracing data; asked for where an event has no name. */
  readonly readTracepointNames?: (tracingData: Uint8Array) => ReadonlyMap<number, string>;
};

/** The header of a recording, or the records that stand for it in a pipe. */
type Container = {
  readonly pipe: boolean;
  readonly attrs: readonly RecordedEvent[];
  readonly features: Features;
  readonly sections: FeatureSections;
  readonly dataOffset: number;
  readonly dataSize: number;
  /** The places of the parts of a pipe's appendix. */
  readonly appendixParts: readonly FileSection[];
  /** Offset at which the file ends although its header promises more records; −1 otherwise. */
  readonly cutAt: number;
};

/** The parts of a file that opening it reads. */
type Opened = Container & {
  readonly source: ByteSource;
  readonly diagnostics: Diagnostics;
  readonly lookup: EventLookup;
  readonly threadFiles: readonly ByteSource[];
  readonly parts: RecordParts;
  readonly startTime: RawTime;
  /** How the walk for the start time ended, if it visited every record; null otherwise. */
  readonly walk: PartsEnd | null;
};

/** An open perf.data file: everything but its records, which `walkRecords` hands out. */
export class PerfData {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  /** Written to a pipe: what a file has in its header comes as records. */
  readonly pipe: boolean;
  readonly attrs: readonly RecordedEvent[];
  readonly lookup: EventLookup;
  /** The content of the header, parsed. */
  readonly features: Features;
  /** The header's sections as they are. */
  readonly sections: FeatureSections;
  /** Offset of the records, and how many bytes of them the file has. */
  readonly dataOffset: number;
  readonly dataSize: number;
  /** Records of each recording thread of a directory. Their rounds are not those of others. */
  readonly threadFiles: readonly ByteSource[];
  /** The places of the parts of a pipe's appendix; `readAppendix` reads them. */
  readonly appendixParts: readonly FileSection[];
  /** Earliest raw time of the recording; all times are counted from it. */
  readonly startTime: RawTime;
  /** Counts of what could not be read; a walk over the records adds to it. */
  readonly diagnostics: Diagnostics;
  readonly #cutAt: number;
  readonly #parts: RecordParts;
  #walk: PartsEnd | null = null;

  constructor(opened: Opened) {
    this.source = opened.source;
    this.littleEndian = opened.parts.littleEndian;
    this.pipe = opened.pipe;
    this.attrs = opened.attrs;
    this.lookup = opened.lookup;
    this.features = opened.features;
    this.sections = opened.sections;
    this.dataOffset = opened.dataOffset;
    this.dataSize = opened.dataSize;
    this.diagnostics = opened.diagnostics;
    this.threadFiles = opened.threadFiles;
    this.appendixParts = opened.appendixParts;
    this.startTime = opened.startTime;
    this.#cutAt = opened.cutAt;
    this.#parts = opened.parts;
    if (opened.walk !== null) this.#noteWalk(opened.walk);
  }

  /**
   * File offset where the file was cut: of the record that is not whole, or the end of the file.
   * −1 if it is whole. Complete, as the next two are, after the records were walked once.
   */
  get truncatedAt(): number {
    const cutRecordAt = this.#walk?.truncatedAt ?? -1;
    return cutRecordAt >= 0 ? cutRecordAt : this.#cutAt;
  }

  /** Bytes that its compressed records may inflate to; null: what their size explains. */
  get mostUnpacked(): number | null {
    return this.#parts.mostUnpacked;
  }

  /** Bytes of records that could not be walked or inflated. */
  get skippedBytes(): number {
    return (this.#walk?.skippedBytes ?? 0) + (this.#walk?.opaqueBytes ?? 0);
  }

  /** Records that have others inside, compressed. */
  get compressedRecords(): number {
    return this.#walk?.compressedRecords ?? 0;
  }

  /** See `walkRecords`. */
  walk(visitor: RecordVisitor, segmentBytes: number): PartsEnd {
    return finish(this.walkInSlices(visitor, segmentBytes));
  }

  *walkInSlices(visitor: RecordVisitor, segmentBytes: number): Slices<PartsEnd> {
    const end = yield* walkPartsInSlices(this.#parts, visitor, segmentBytes);
    if (this.#walk === null && visitor.isDone !== true) this.#noteWalk(end);
    return end;
  }

  /** The first walk over every record has ended: counts what it could not read. */
  #noteWalk(end: PartsEnd): void {
    this.#walk = end;
    const { inflateFailure } = end;
    if (end.badRecordAt >= 0) {
      this.diagnostics.count(
        'record-header-damaged',
        `at 0x${end.badRecordAt.toString(16)}, ${end.skippedBytes} bytes skipped`,
      );
    }
    if (inflateFailure !== null) {
      const { offset, reason } = inflateFailure;
      this.diagnostics.count(
        'compressed-data-damaged',
        `at 0x${offset.toString(16)}: ${reason}; ${end.opaqueBytes} bytes skipped`,
      );
    } else if (this.#parts.createZstdDecoder === null && end.compressedRecords > 0) {
      this.diagnostics.count('compressed-records-unread', '', end.compressedRecords);
    } else if (end.pendingBytes > 0 && this.truncatedAt < 0 && end.badRecordAt < 0) {
      this.diagnostics.count('compressed-data-cut', `${end.pendingBytes} bytes of it are there`);
    }
  }
}

/** Opens what `source` holds; throws `PerfDataError` if it is not perf.data or has no header. */
export function openPerfData(source: ByteSource, options: OpenOptions = {}): PerfData {
  const header = parseHeader(source.read(0, Math.min(FILE_HEADER_SIZE, source.size)));
  const { littleEndian } = header;
  const diagnostics = new Diagnostics();
  const container =
    header.kind === 'pipe'
      ? readPipe(source, header, options, diagnostics)
      : readFile(source, header, options, diagnostics);
  const { attrs, features, dataOffset, dataSize } = container;
  const lookup = new EventLookup(attrs);
  if (lookup.kind === 'first' && dataSize > 0) {
    diagnostics.count('event-ids-missing');
  }
  const threadFiles = options.threadFiles ?? [];
  const parts: RecordParts = {
    parts: [
      { source, offset: dataOffset, size: dataSize },
      ...threadFiles.map((file) => ({ source: file, offset: 0, size: file.size })),
    ],
    littleEndian,
    pipe: container.pipe,
    createZstdDecoder: options.createZstdDecoder ?? null,
    mostInflated: features.compression?.mmapLength ?? 0,
    mostUnpacked: options.mostUnpacked ?? null,
  };
  const earliest = new StartTimeVisitor({ lookup, attrs, littleEndian, threadFiles });
  const end = finish(walkPartsInSlices(parts, earliest, START_SEGMENT_BYTES));
  // Where sections are cut, nobody knows where the appendix begins.
  if (!container.pipe && container.cutAt < 0 && diagnostics.entries().every(isNotCut)) {
    const damage = findAppendixDamage({ ...container, source });
    if (damage !== null) diagnostics.count('appendix-cut', damage);
  }
  return new PerfData({
    ...container,
    source,
    diagnostics,
    lookup,
    threadFiles,
    parts,
    startTime: earliest.startTime,
    walk: earliest.isDone ? null : end,
  });
}

function isNotCut({ code }: { readonly code: string }): boolean {
  return code !== 'section-table-cut' && code !== 'header-section-cut';
}

function readPipe(
  source: ByteSource,
  header: PipeHeader,
  options: OpenOptions,
  diagnostics: Diagnostics,
): Container {
  const { littleEndian, dataOffset } = header;
  const preamble = readPipePreamble(source, header, diagnostics);
  const sections = new FeatureSections(source, preamble.features);
  const features = parseFeatures(sections, littleEndian, diagnostics);
  const events = completeEvents(
    preamble.attrs,
    features.eventDescriptions ?? [],
    preamble.namesById,
    littleEndian,
    diagnostics,
  );
  return {
    pipe: true,
    attrs: nameTracepoints(events, sections, options),
    features: { ...features, buildIds: features.buildIds ?? nonEmpty(preamble.buildIds) },
    sections,
    dataOffset,
    dataSize: source.size - dataOffset,
    appendixParts: preamble.appendixParts,
    cutAt: -1,
  };
}

function readFile(
  source: ByteSource,
  header: FileHeader,
  options: OpenOptions,
  diagnostics: Diagnostics,
): Container {
  const { littleEndian } = header;
  const fileAttrs = readFileAttrs(source, header, diagnostics);
  const data = findData(source, header, diagnostics);
  const sections = new FeatureSections(source, data.features);
  const features = parseFeatures(sections, littleEndian, diagnostics);
  const events = completeEvents(
    fileAttrs,
    features.eventDescriptions ?? [],
    new Map(),
    littleEndian,
    diagnostics,
  );
  return {
    pipe: false,
    attrs: nameTracepoints(events, sections, options),
    features,
    sections,
    dataOffset: header.data.offset,
    dataSize: data.size,
    appendixParts: [],
    cutAt: data.cutAt,
  };
}

/** Gives tracepoints that the recorder did not name the names that their formats have. */
function nameTracepoints(
  events: readonly RecordedEvent[],
  sections: FeatureSections,
  { readTracepointNames }: OpenOptions,
): readonly RecordedEvent[] {
  const isUnnamed = ({ name, attr }: RecordedEvent) =>
    name === null && attr.type === PERF_TYPE.TRACEPOINT;
  if (readTracepointNames === undefined || !events.some(isUnnamed)) return events;
  const tracingData = sections.bytes(FEATURE.TRACING_DATA);
  if (tracingData === null) return events;
  const names = readTracepointNames(tracingData);
  return events.map((event) =>
    isUnnamed(event) ? { ...event, name: names.get(Number(event.attr.config)) ?? null } : event,
  );
}

/**
 * Visits every record in file order. Afterwards `data` states what was cut or skipped. A record that
 * the end of the file cuts is not visited.
 */
export function walkRecords(
  data: PerfData,
  visitor: RecordVisitor,
  segmentBytes = SEGMENT_BYTES,
): PartsEnd {
  return data.walk(visitor, segmentBytes);
}

/**
 * Finds the records and the feature sections behind them.
 *
 * perf writes the data size when it ends: a killed recording says 0, and has feature bits for
 * sections that were never written. So with size 0 the records go to the end of the file, unless
 * the table of sections is really where an empty recording has it.
 */
function findData(
  source: ByteSource,
  header: FileHeader,
  diagnostics: Diagnostics,
): { size: number; cutAt: number; features: Map<number, FileSection> } {
  const { data } = header;
  const left = Math.max(0, source.size - data.offset);
  if (data.size === 0 && left > 0 && !hasSectionTable(source, header)) {
    diagnostics.count('recording-unfinished');
    return { size: left, cutAt: -1, features: new Map() };
  }
  if (data.size > left) {
    return { size: left, cutAt: source.size, features: new Map() };
  }
  return { size: data.size, cutAt: -1, features: readSectionTable(source, header, diagnostics) };
}

/** `struct perf_file_section [number of feature bits]`, behind the data. */
function readSectionTable(
  source: ByteSource,
  header: FileHeader,
  diagnostics: Diagnostics,
): Map<number, FileSection> {
  const { features, littleEndian } = header;
  const tableOffset = header.data.offset + header.data.size;
  const bytes = source.read(tableOffset, features.length * 16);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sections = new Map<number, FileSection>();
  if (bytes.length < features.length * 16) {
    // The sections would be behind it.
    const example = `at 0x${source.size.toString(16)}; names and build IDs are missing`;
    diagnostics.count('section-table-cut', example);
    return sections;
  }
  for (let i = 0; i < features.length; i++) {
    const offset = readU64(view, 16 * i, littleEndian);
    const size = readU64(view, 16 * i + 8, littleEndian);
    if (offset + size > source.size) {
      diagnostics.count('header-section-cut', `${size} bytes at 0x${offset.toString(16)}`);
      continue;
    }
    sections.set(features[i], { offset, size });
  }
  const over = findOverlap([...sections.values()], tableOffset + bytes.length);
  if (over !== null) {
    const example = `${over.size} bytes at 0x${over.offset.toString(16)}`;
    diagnostics.count('header-sections-overlap', example);
  }
  return sections;
}

/** The first section that begins before the one in front of it ends, or before `start`; null: none does. */
function findOverlap(sections: readonly FileSection[], start: number): FileSection | null {
  let end = start;
  for (const section of sections
    .filter(({ size }) => size > 0)
    .sort((a, b) => a.offset - b.offset)) {
    if (section.offset < end) return section;
    end = section.offset + section.size;
  }
  return null;
}

/** Whether the section table of an empty recording follows the header: its first entry tells. */
function hasSectionTable(source: ByteSource, header: FileHeader): boolean {
  if (header.features.length === 0) return false;
  const tableEnd = header.data.offset + 16 * header.features.length;
  const bytes = source.read(header.data.offset, 16);
  if (bytes.length < 16 || tableEnd > source.size) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readU64(view, 0, header.littleEndian) === tableEnd;
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | null {
  return list.length > 0 ? list : null;
}
