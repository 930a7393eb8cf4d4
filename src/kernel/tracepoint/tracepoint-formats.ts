import { Diagnostics } from '../../base/diagnostics.ts';
import { parseFormatFile } from './format-file.ts';
import { KernelNames, type KernelSymbolOf } from './kernel-names.ts';
import { TracepointFormat } from './tracepoint-format.ts';
import { parseTracingData, type TracingDataParts } from './tracing-data.ts';

/** Facts that formats need of the machine they are from. */
export type FormatTexts = Pick<TracingDataParts, 'formats' | 'longSize' | 'littleEndian'> &
  Partial<Pick<TracingDataParts, 'printkFormats'>>;

export type FormatOptions = {
  /** Names kernel addresses, for `%pS`; without it they stay addresses. */
  readonly symbolOf?: KernelSymbolOf | undefined;
  /** Counts bad formats, and samples that they don't fit. */
  readonly diagnostics?: Diagnostics | undefined;
};

/** `common_type` is the first thing in the raw data, in all kernels that perf runs on. */
const COMMON_TYPE_SIZE = 2;

/** The formats of a recording's tracepoints, by id. */
export class TracepointFormats {
  readonly littleEndian: boolean;
  readonly #byId = new Map<number, TracepointFormat>();
  readonly #diagnostics: Diagnostics;

  /** Formats from files as tracefs has them. */
  constructor(texts: FormatTexts, options: FormatOptions = {}) {
    this.#diagnostics = options.diagnostics ?? new Diagnostics();
    this.littleEndian = texts.littleEndian;
    const names = new KernelNames(options.symbolOf ?? null, texts.printkFormats ?? '');
    for (const { system, text } of texts.formats) {
      const file = parseFormatFile(text, texts.longSize);
      if (file === null) {
        this.#diagnostics.count('tracepoint-format-malformed', system);
        continue;
      }
      if (this.#byId.has(file.id)) continue;
      this.#byId.set(file.id, new TracepointFormat(system, file, texts.longSize, names));
    }
  }

  /**
   * Formats of a TRACING_DATA section or record. Null if the bytes are none: there are no formats then,
   * and raw data stay bytes. A section that is cut gives the formats before the cut.
   */
  static parse(bytes: Uint8Array, options: FormatOptions = {}): TracepointFormats | null {
    const parts = parseTracingData(bytes);
    if (parts === null) {
      options.diagnostics?.count('tracing-data-malformed');
      return null;
    }
    if (parts.cutAt !== null) options.diagnostics?.count('tracing-data-cut', parts.cutAt);
    return new TracepointFormats(parts, options);
  }

  /** Indexed by `common_type`, which is the attr's `config`. */
  of(id: number): TracepointFormat | null {
    return this.#byId.get(id) ?? null;
  }

  /**
   * The format of a sample's raw data. `config` is its attr's: null where the two disagree, since
   * then either may be wrong, and where the recording has no format; both are counted.
   */
  ofSample(view: DataView, offset: number, size: number, config: number): TracepointFormat | null {
    const fits = size >= COMMON_TYPE_SIZE && offset + COMMON_TYPE_SIZE <= view.byteLength;
    const id = fits ? view.getUint16(offset, this.littleEndian) : -1;
    if (id !== config) {
      this.#diagnostics.count('tracepoint-of-other-event', `${config}`);
      return null;
    }
    const format = this.of(id);
    if (format === null) this.#diagnostics.count('tracepoint-format-missing', `${id}`);
    return format;
  }

  /** Counts the texts that are pairs of fields; once, when all are printed. */
  countFallbacks(): void {
    for (const { system, name, fallbackTexts, notEvaluated } of this) {
      if (fallbackTexts === 0) continue;
      this.#diagnostics.count(
        'tracepoint-text-not-evaluated',
        `${system}:${name}: ${notEvaluated ?? 'the data end early'}`,
        fallbackTexts,
      );
    }
  }

  *[Symbol.iterator](): IterableIterator<TracepointFormat> {
    yield* this.#byId.values();
  }
}
