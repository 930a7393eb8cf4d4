import { type CType, typeOf } from './c-type.ts';

/** How a field's bytes are found. */
export type FieldLocation =
  /** The value is `size` bytes at `offset`. */
  | 'fixed'
  /** A u32 at `offset` is length << 16 | offset from the start of the raw data. */
  | 'dynamic'
  /** A u32 at `offset` as of `dynamic`, but counted from the end of that u32. */
  | 'relative';

/** One line of a format file. */
export type TracepointField = {
  readonly name: string;
  /** The type as declared, without `__data_loc`, name and brackets: `unsigned long`, `char`, `void *`. */
  readonly type: string;
  /** Bytes from the start of the raw data, and how many; of a dynamic field those of its u32. */
  readonly offset: number;
  readonly size: number;
  readonly signed: boolean;
  readonly location: FieldLocation;
  readonly isArray: boolean;
  /** Bytes of an element; the whole field where it is no array. */
  readonly elementSize: number;
  /** An array of char: text up to a NUL. One of u8 is bytes, as addresses of the network are. */
  readonly isString: boolean;
  readonly isPointer: boolean;
};

/** A tracepoint as its `format` file describes it. */
export type FormatFile = {
  readonly name: string;
  /** `common_type` of its raw data, `config` of its attr. */
  readonly id: number;
  /** The fields that every tracepoint has, `common_type` … */
  readonly commonFields: readonly TracepointField[];
  readonly fields: readonly TracepointField[];
  /** The text behind `print fmt:`; empty if there is none. */
  readonly printFmt: string;
};

/**
 * Parses `events/SYSTEM/NAME/format`:
 *
 *   name: sched_wakeup
 *   ID: 318
 *   format:
 *   	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *   	…
 *
 *   	field:char comm[16];	offset:8;	size:16;	signed:0;
 *   	field:__data_loc char[] what;	offset:24;	size:4;	signed:0;
 *
 *   print fmt: "comm=%s …", REC->comm, …
 *
 * `signed` is absent in kernels before 2.6.32. Null without a name and an id. Lines that can't be
 * understood are left out. Documentation/trace/events.rst
 */
export function parseFormatFile(text: string, longSize: number): FormatFile | null {
  const name = /^name:[ \t]*(\S+)/m.exec(text)?.[1];
  const id = /^ID:[ \t]*(\d+)/m.exec(text)?.[1];
  if (name === undefined || id === undefined) return null;
  const printAt = text.search(/^print fmt:/m);
  const head = printAt < 0 ? text : text.slice(0, printAt);
  const printFmt = printAt < 0 ? '' : text.slice(printAt + 'print fmt:'.length).trim();
  const commonFields: TracepointField[] = [];
  const fields: TracepointField[] = [];
  for (const line of head.split('\n')) {
    const field = parseField(line, longSize);
    if (field === null) continue;
    (field.name.startsWith('common_') ? commonFields : fields).push(field);
  }
  return { name, id: Number(id), commonFields, fields, printFmt };
}

const FIELD_LINE =
  /^\s*field(?: special)?:\s*([^;\s][^;]*);\s*offset:\s*(\d+);\s*size:\s*(\d+);(?:\s*signed:\s*(\d+);)?/;
/** `type name`, `type name[count]`, `type[count] name`. */
const DECLARATION = /^(.*?)\s*(\[[^\]]*\])?\s*\b([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)(?::\s*\d+)?$/;

/** A longer one is not the kernel's, and would be searched for a name for long. */
const MOST_DECLARATION = 512;

function parseField(line: string, longSize: number): TracepointField | null {
  const [, declaration, offsetText, sizeText, signedText] = FIELD_LINE.exec(line) ?? [];
  if (declaration === undefined || declaration.length > MOST_DECLARATION) return null;
  const [, declared, before, name, after] = DECLARATION.exec(declaration.trim()) ?? [];
  if (declared === undefined || name === undefined) return null;
  const location = locationOf(declared);
  const type = declared.replace(/^__(data|rel)_loc\s+/, '').trim();
  const size = Number(sizeText);
  const brackets = before ?? (after || undefined);
  const isArray = brackets !== undefined || location !== 'fixed';
  const element = typeOf(type, longSize);
  return {
    name,
    type,
    offset: Number(offsetText),
    size,
    signed: signedText === undefined ? (element?.signed ?? false) : signedText !== '0',
    location,
    isArray,
    elementSize: isArray ? elementSizeOf(element, brackets, location, size) : size,
    isString: isArray && /^(const )?char$/.test(type),
    isPointer: type.endsWith('*') && !isArray,
  };
}

function locationOf(declared: string): FieldLocation {
  if (declared.startsWith('__data_loc')) return 'dynamic';
  return declared.startsWith('__rel_loc') ? 'relative' : 'fixed';
}

/** The count in the brackets, the type's where the count is a name, 1 if neither is given. */
function elementSizeOf(
  element: CType | null,
  brackets: string | undefined,
  location: FieldLocation,
  size: number,
): number {
  const count = Number(/^\[\s*(\d+)\s*\]/.exec(brackets ?? '')?.[1] ?? 0);
  if (location === 'fixed' && count > 0 && size % count === 0) return size / count;
  return element === null ? 1 : element.bits / 8;
}
