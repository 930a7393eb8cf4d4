// Reads protobuf by the definitions that receivers publish, with nothing of the code under test.

/** A field of a message: how it is read, by its number. */
export type Fields = Readonly<Record<number, readonly [name: string, type: FieldType]>>;
type FieldType = 'int' | 'fixed64' | 'string' | 'bytes' | Fields;

/** Messages as objects: every field is a list, since any may be repeated. */
export type Message = { readonly [name: string]: readonly unknown[] };

/** Throws for what the definition does not have, or what is cut. */
export function decodeProtobuf(bytes: Uint8Array, fields: Fields): Message {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const message: Record<string, unknown[]> = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= buffer.length) throw new Error('cut within a varint');
      const byte = buffer[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < buffer.length) {
    const tag = Number(varint());
    const field = fields[tag >>> 3];
    if (field === undefined) throw new Error(`no field ${tag >>> 3} in this message`);
    const [name, type] = field;
    message[name] ??= [];
    const values = message[name];
    const wire = tag & 7;
    if (wire === 0) {
      if (type !== 'int') throw new Error(`${name} is no integer`);
      values.push(varint());
    } else if (wire === 1) {
      if (type !== 'fixed64') throw new Error(`${name} is no fixed64`);
      values.push(buffer.readBigUInt64LE(at));
      at += 8;
    } else if (wire === 2) {
      const length = Number(varint());
      if (at + length > buffer.length) throw new Error(`${name} is cut`);
      const part = buffer.subarray(at, at + length);
      at += length;
      if (type === 'int') {
        // Packed: back to back, without tags.
        const end = at;
        for (at -= length; at < end; ) values.push(varint());
      } else if (type === 'string') values.push(part.toString('utf8'));
      else if (type === 'bytes') values.push(part);
      else if (typeof type === 'object') values.push(decodeProtobuf(part, type));
      else throw new Error(`${name} is no ${wire}`);
    } else throw new Error(`wire type ${wire}`);
  }
  return message;
}

const KEY_VALUE: Fields = { 1: ['key', 'string'], 2: ['value', { 1: ['stringValue', 'string'] }] };
const VALUE_TYPE: Fields = { 1: ['typeStrindex', 'int'], 2: ['unitStrindex', 'int'] };

/** `opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest`, as of 1.11.0. */
export const OTLP_REQUEST: Fields = {
  1: [
    'resourceProfiles',
    {
      1: ['resource', { 1: ['attributes', KEY_VALUE] }],
      2: [
        'scopeProfiles',
        {
          1: ['scope', { 1: ['name', 'string'], 2: ['version', 'string'] }],
          2: [
            'profiles',
            {
              1: ['sampleType', VALUE_TYPE],
              2: [
                'samples',
                {
                  1: ['stackIndex', 'int'],
                  2: ['attributeIndices', 'int'],
                  3: ['linkIndex', 'int'],
                  4: ['values', 'int'],
                  5: ['timestampsUnixNano', 'fixed64'],
                },
              ],
              3: ['timeUnixNano', 'fixed64'],
              4: ['durationNano', 'int'],
              5: ['periodType', VALUE_TYPE],
              6: ['period', 'int'],
              7: ['profileId', 'bytes'],
              11: ['attributeIndices', 'int'],
            },
          ],
        },
      ],
    },
  ],
  2: [
    'dictionary',
    {
      1: [
        'mappings',
        {
          1: ['memoryStart', 'int'],
          2: ['memoryLimit', 'int'],
          3: ['fileOffset', 'int'],
          4: ['filenameStrindex', 'int'],
          5: ['attributeIndices', 'int'],
        },
      ],
      2: [
        'locations',
        {
          1: ['mappingIndex', 'int'],
          2: ['address', 'int'],
          3: ['lines', { 1: ['functionIndex', 'int'], 2: ['line', 'int'] }],
        },
      ],
      3: [
        'functions',
        {
          1: ['nameStrindex', 'int'],
          2: ['systemNameStrindex', 'int'],
          3: ['filenameStrindex', 'int'],
          4: ['startLine', 'int'],
        },
      ],
      4: ['links', { 1: ['traceId', 'bytes'], 2: ['spanId', 'bytes'] }],
      5: ['strings', 'string'],
      6: [
        'attributes',
        { 1: ['keyStrindex', 'int'], 2: ['value', { 1: ['stringValue', 'string'] }] },
      ],
      7: ['stacks', { 1: ['locationIndices', 'int'] }],
    },
  ],
};

/** Grafana Pyroscope's `push.v1.PushRequest`. */
export const PUSH_REQUEST: Fields = {
  1: [
    'series',
    {
      1: ['labels', { 1: ['name', 'string'], 2: ['value', 'string'] }],
      2: ['samples', { 1: ['rawProfile', 'bytes'], 2: ['id', 'string'] }],
    },
  ],
};

/** `opentelemetry.proto.processcontext.v1development.ProcessContext` in one field each, for writing it. */
export function protobufBytes(field: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value as string);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...length]), bytes]);
}
