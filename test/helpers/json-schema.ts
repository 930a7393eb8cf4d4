import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const FOLDER = resolve(import.meta.dirname, '../../docs/reference/json');
const END = '.schema.json';

/** The names of all schemas in docs/reference/json. */
export const SCHEMA_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(END))
  .map((file) => file.slice(0, -END.length));

/** Documents that only a kernel which lets us record can make: test/live/json-documents.test.ts validates them. */
export const RECORDED_DOCUMENTS: readonly string[] = [
  'awaits',
  'doctor-selftest',
  'marks',
  'record',
  'requests',
  'stat',
  'stat-interval',
  'syscalls',
  'top',
  'turns',
];

/** A key that the schema does not know is an error here, though not to a reader: it may be of a later version. */
function withoutFurtherKeys(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFurtherKeys);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withoutFurtherKeys(value)]),
  );
  const isOpen = 'properties' in closed && !('additionalProperties' in closed);
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

function compile(name: string, isClosed: boolean): ValidateFunction {
  const schema: object = JSON.parse(readFileSync(join(FOLDER, `${name}${END}`), 'utf8'));
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  return ajv.compile(isClosed ? (withoutFurtherKeys(schema) as object) : schema);
}

/** The places where `text`, a JSON document or one a line, departs from the schema of this name. */
export function departures(
  name: string,
  text: string,
  { further = false }: { further?: boolean } = {},
): string[] {
  const validate = compile(name, !further);
  const isOne = text.trimStart().startsWith('{\n');
  const documents = isOne ? [text] : text.split('\n').filter((line) => line !== '');
  if (documents.length === 0) return ['there is no document'];
  const found = documents.flatMap((document) =>
    validate(JSON.parse(document))
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) =>
            `${instancePath.replace(/\d+/g, 'N')} ${message} ${JSON.stringify(params)}`,
        ),
  );
  return [...new Set(found)];
}
