// Hot: once per tracepoint sample that is printed.

import { decodeText } from '../../base/text.ts';
import { compile } from './compile.ts';
import { PrintFmtError } from './errors.ts';
import { parsePrintFmt } from './expression.ts';
import { type FieldReader, type FieldValue, fieldReader } from './field-value.ts';
import type { FormatFile, TracepointField } from './format-file.ts';
import type { KernelNames } from './kernel-names.ts';
import { compilePrintf } from './printf.ts';
import type { Piece } from './printf-piece.ts';
import { RawRecord } from './raw-record.ts';
import type { NameScope } from './scope.ts';

/** The prefix that perf writes before the fields of an event whose print fmt it does not understand. */
const NOT_EVALUATED = '[FAILED TO PARSE]';

/**
 * One tracepoint: reads the fields of a sample's raw data and prints them as its print fmt requires.
 * The format is compiled at the first use; a sample costs its reads and its text.
 *
 * Names and texts are as recorded, escapes of a stranger included: who prints passes them through
 * `printable`.
 */
export class TracepointFormat {
  readonly system: string;
  readonly name: string;
  /** `common_type` of the raw data, `config` of the attr. */
  readonly id: number;
  readonly commonFields: readonly TracepointField[];
  /** Its own fields, in the order of the format file. */
  readonly fieldList: readonly TracepointField[];
  readonly printFmt: string;
  /** Texts so far that are pairs, because the print fmt can't be evaluated or the data end early. */
  fallbackTexts = 0;
  readonly #longSize: number;
  readonly #names: KernelNames;
  readonly #record = new RawRecord();
  #readers: readonly FieldReader[] | null = null;
  #text: { readonly pieces: readonly Piece[] | null; readonly reason: string | null } | null = null;
  #pairs: ((record: RawRecord) => string) | null = null;
  readonly #end: number;

  constructor(system: string, file: FormatFile, longSize: number, names: KernelNames) {
    this.system = system;
    this.name = file.name;
    this.id = file.id;
    this.commonFields = file.commonFields;
    this.fieldList = file.fields;
    this.printFmt = file.printFmt;
    this.#longSize = longSize;
    this.#names = names;
    this.#end = file.fields.reduce((end, { offset, size }) => Math.max(end, offset + size), 0);
  }

  /** Why the print fmt can't be evaluated; null if it can. */
  get notEvaluated(): string | null {
    return this.#compiled().reason;
  }

  /**
   * Name and value of every field of its own, from the `size` bytes of raw data at `offset`. A
   * field that the data end before is null.
   */
  fields(
    view: DataView,
    offset: number,
    size: number,
    littleEndian: boolean,
  ): [name: string, value: FieldValue][] {
    this.#readers ??= this.fieldList.map(fieldReader);
    this.#record.moveTo(view, offset, size, littleEndian);
    const pairs: [string, FieldValue][] = [];
    for (let i = 0; i < this.#readers.length; i++) {
      const { name } = this.fieldList[i];
      pairs.push([name, this.#readers[i](this.#record)]);
    }
    return pairs;
  }

  /**
   * The line that the kernel's print fmt makes of the raw data, as `perf script` shows it. If the
   * print fmt can't be evaluated, or the data end early, `[FAILED TO PARSE]` and `name=value` pairs.
   */
  text(view: DataView, offset: number, size: number, littleEndian: boolean): string {
    const record = this.#record;
    record.moveTo(view, offset, size, littleEndian);
    const { pieces } = this.#compiled();
    if (pieces === null || size < this.#end) {
      this.fallbackTexts++;
      this.#pairs ??= compileFieldPairs(this.fieldList);
      return NOT_EVALUATED + this.#pairs(record);
    }
    let text = '';
    for (let i = 0; i < pieces.length; i++) text += pieces[i](record, this.#names);
    return text;
  }

  #compiled(): { readonly pieces: readonly Piece[] | null; readonly reason: string | null } {
    if (this.#text !== null) return this.#text;
    try {
      const { format, args } = parsePrintFmt(this.printFmt);
      const scope: NameScope = { fieldOf: (name) => this.#fieldOf(name), longSize: this.#longSize };
      const evaluators = args.map((argument) => compile(argument, scope));
      this.#text = { pieces: compilePrintf(format, evaluators, this.#longSize), reason: null };
    } catch (error) {
      if (!(error instanceof PrintFmtError)) throw error;
      this.#text = { pieces: null, reason: error.message };
    }
    return this.#text;
  }

  #fieldOf(name: string): TracepointField | null {
    const isCalled = (field: TracepointField): boolean => field.name === name;
    return this.fieldList.find(isCalled) ?? this.commonFields.find(isCalled) ?? null;
  }
}

/**
 * Makes the function that writes ` name=value` for every field, in libtraceevent's form. There
 * arrays of u8 are text as long as none was met that is not; here they are bytes always.
 */
function compileFieldPairs(fields: readonly TracepointField[]): (record: RawRecord) => string {
  const writers = fields.map((field) => {
    const write = field.isArray ? arrayWriter(field) : scalarWriter(field);
    const end = field.offset + field.size;
    return (record: RawRecord): string =>
      ` ${field.name}=${record.start + end > record.end ? '' : write(record)}`;
  });
  return (record) => {
    let text = '';
    for (const write of writers) text += write(record);
    return text;
  };
}

function scalarWriter(field: TracepointField): (record: RawRecord) => string {
  const { offset, size, isPointer, type } = field;
  // A long often holds an address.
  const isHex = isPointer || (/\blong\b/.test(type) && (!field.signed || size === 4));
  const signed = field.signed && !isHex;
  return (record) => {
    const value = record.readBig(record.start + offset, size, signed);
    if (isHex) return `0x${value.toString(16)}`;
    // libtraceevent prints a short as %2d.
    return signed && size === 2 ? value.toString().padStart(2) : value.toString();
  };
}

/** Text if it can be printed as it is, else `ARRAY[01, 02]`, byte by byte. */
function arrayWriter(field: TracepointField): (record: RawRecord) => string {
  return (record) => {
    const bytes = record.bytes(record.offsetOf(field), record.lengthOf(field));
    if (field.isString && isPrintable(bytes)) return decodeText(bytes);
    return `ARRAY[${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(', ')}]`;
  };
}

/** All ASCII graphic characters and blanks up to the first NUL. */
function isPrintable(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte === 0) return true;
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}
