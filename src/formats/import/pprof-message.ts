import { getOrMake } from '../../base/group-by.ts';
import { addIntegers, ProtoReader } from '../../base/proto-reader.ts';

/**
 * The message of a pprof file, as far as a profile needs it
 * (https://github.com/google/pprof/blob/main/proto/profile.proto). Texts are rows of the string table:
 *
 *   message Profile {
 *     repeated ValueType sample_type = 1;   repeated Sample sample = 2;     repeated Mapping mapping = 3;
 *     repeated Location location = 4;       repeated Function function = 5; repeated string string_table = 6;
 *     int64 duration_nanos = 10;            ValueType period_type = 11;     int64 period = 12;
 *     repeated int64 comment = 13;          int64 default_sample_type = 14;
 *   }
 */
export type PprofMessage = {
  readonly types: readonly PprofType[];
  /** Not decoded: most of a file. */
  readonly samples: readonly Uint8Array[];
  readonly mappings: ReadonlyMap<number, string>;
  readonly locations: ReadonlyMap<number, PprofPlace>;
  readonly functions: ReadonlyMap<number, DecodedFunction>;
  readonly comments: readonly string[];
  /** Name of the type that is shown first; empty where none is named. */
  readonly defaultType: string;
  readonly durationNs: number;
  text(row: number): string;
  /** The message ends early. */
  readonly isCut: boolean;
};

export type PprofType = { readonly type: string; readonly unit: string };

export type DecodedFunction = {
  readonly name: string;
  readonly file: string;
  readonly startLine: number;
};

/** A place in code; `lines` has the innermost of inlined functions first. */
export type PprofPlace = {
  readonly mapping: number;
  readonly address: number;
  readonly lines: readonly {
    readonly func: number;
    readonly line: number;
    readonly column: number;
  }[];
};

/** A sample: places, the innermost first, a value for each type, and labels. */
export type PprofSample = {
  readonly places: readonly number[];
  readonly values: readonly number[];
  readonly labels: readonly { readonly key: string; readonly text: string }[];
};

/** Fields of the message that are delimited by a length, and those that are integers or lists of them. */
const MESSAGES = new Set([1, 2, 3, 4, 5, 6, 11]);
const INTEGERS = new Set([7, 8, 9, 10, 12, 13, 14, 15]);

/**
 * Whether bytes, of which a file may have more, begin as a pprof message does: with the fields of one, a type of
 * its samples among them.
 */
export function isPprof(head: Uint8Array): boolean {
  const reader = new ProtoReader(head);
  let types = 0;
  while (reader.next()) {
    const { field, wireType } = reader;
    const isKnown =
      (MESSAGES.has(field) && wireType === 2) ||
      (INTEGERS.has(field) && (wireType === 0 || wireType === 2));
    if (!isKnown) return false;
    if (field === 1) {
      if (!isValueType(reader.bytes)) return false;
      types++;
    }
  }
  return types > 0;
}

/** message ValueType { int64 type = 1; int64 unit = 2; } */
function isValueType(bytes: Uint8Array): boolean {
  const reader = new ProtoReader(bytes);
  let fields = 0;
  while (reader.next()) {
    if (reader.wireType !== 0 || reader.field > 2) return false;
    fields++;
  }
  return fields > 0 && !reader.isDamaged;
}

export function readPprofMessage(bytes: Uint8Array): PprofMessage {
  const parts = new Map<number, Uint8Array[]>([1, 2, 3, 4, 5, 6].map((field) => [field, []]));
  const comments: number[] = [];
  let defaultType = 0;
  let durationNs = 0;
  const reader = new ProtoReader(bytes);
  while (reader.next()) {
    if (reader.field === 10) durationNs = reader.value;
    else if (reader.field === 13) addIntegers(reader, comments);
    else if (reader.field === 14) defaultType = reader.value;
    else parts.get(reader.field)?.push(reader.bytes);
  }
  const strings = parts.get(6) ?? [];
  const decoded = new Map<number, string>();
  const text = (row: number): string => {
    return getOrMake(decoded, row, () => (row in strings ? decoder.decode(strings[row]) : ''));
  };
  const readAll = <Row>(field: number, read: (message: Uint8Array) => Row): Row[] =>
    (parts.get(field) ?? []).map(read);
  return {
    types: readAll(1, (message) => {
      const [, type = 0, unit = 0] = readIntegers(message);
      return { type: text(type), unit: text(unit) };
    }),
    samples: parts.get(2) ?? [],
    // message Mapping { uint64 id = 1; …; int64 filename = 5; … }
    mappings: new Map(
      readAll(3, (message) => {
        const [, id = 0, , , , file = 0] = readIntegers(message);
        return [id, text(file)] as const;
      }),
    ),
    locations: new Map(readAll(4, readPlace)),
    // message Function { uint64 id = 1; int64 name = 2, system_name = 3, filename = 4, start_line = 5; }
    functions: new Map(
      readAll(5, (message) => {
        const [, id = 0, name = 0, systemName = 0, file = 0, startLine = 0] = readIntegers(message);
        const described = { name: text(name) || text(systemName), file: text(file), startLine };
        return [id, described] as const;
      }),
    ),
    comments: comments.map(text),
    defaultType: text(defaultType),
    durationNs,
    text,
    isCut: reader.isDamaged,
  };
}

const decoder = new TextDecoder();

/** The integer fields of a flat message by their numbers, up to 10. */
function readIntegers(message: Uint8Array): number[] {
  const values: number[] = [];
  const reader = new ProtoReader(message);
  while (reader.next()) {
    if (reader.wireType === 0 && reader.field <= 10) values[reader.field] = reader.value;
  }
  return values;
}

/** message Location { uint64 id = 1, mapping_id = 2, address = 3; repeated Line line = 4; } */
function readPlace(message: Uint8Array): [number, PprofPlace] {
  let id = 0;
  let mapping = 0;
  let address = 0;
  const lines: { func: number; line: number; column: number }[] = [];
  const reader = new ProtoReader(message);
  while (reader.next()) {
    if (reader.field === 1) id = reader.value;
    else if (reader.field === 2) mapping = reader.value;
    else if (reader.field === 3) address = reader.value;
    else if (reader.field === 4) {
      // message Line { uint64 function_id = 1; int64 line = 2, column = 3; }
      const [, func = 0, line = 0, column = 0] = readIntegers(reader.bytes);
      lines.push({ func, line, column });
    }
  }
  return [id, { mapping, address, lines }];
}

/** message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; } */
export function readPprofSample(
  message: Uint8Array,
  text: PprofMessage['text'],
): PprofSample | null {
  const places: number[] = [];
  const values: number[] = [];
  const labels: { key: string; text: string }[] = [];
  const reader = new ProtoReader(message);
  while (reader.next()) {
    if (reader.field === 1) addIntegers(reader, places);
    else if (reader.field === 2) addIntegers(reader, values);
    else if (reader.field === 3) {
      // message Label { int64 key = 1, str = 2, num = 3, num_unit = 4; }
      const [, key = 0, value = 0, number = 0] = readIntegers(reader.bytes);
      labels.push({ key: text(key), text: value > 0 ? text(value) : String(number) });
    }
  }
  return reader.isDamaged ? null : { places, values, labels };
}
