import { UsageError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/foreign-json.ts';

/** The part of JSON Schema in which tools describe an argument. */
export type ArgumentSchema = {
  readonly description?: string;
  readonly type?: 'string' | 'integer' | 'number' | 'array';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: ArgumentSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly ArgumentSchema[];
};

export type InputSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
};

/** The arguments, if they are as the schema has them; throws `UsageError` with those that are missing, or the one that is not so. */
export function checkInput(
  { properties, required }: InputSchema,
  input: unknown,
): Readonly<Record<string, unknown>> {
  if (!isJsonObject(input)) throw new UsageError('arguments: expected an object');
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(properties, name)) {
      const known = Object.keys(properties).join(', ');
      throw new UsageError(`there is no argument ${JSON.stringify(name)}`, [`known: ${known}`]);
    }
    const wrong = departure(properties[name], value);
    if (wrong !== null) throw new UsageError(`the argument ${name}: expected ${wrong}`);
  }
  const missing = required.filter((name) => !Object.hasOwn(input, name));
  if (missing.length > 0) {
    const expected = missing.map((name) => `${name}: ${departure(properties[name], undefined)}`);
    throw new UsageError(`missing: ${missing.join(', ')}`, [`expected ${expected.join('; ')}`]);
  }
  return input;
}

/** The expectation that a value does not meet, in words; null where it is as described. */
function departure(schema: ArgumentSchema, value: unknown): string | null {
  if (schema.anyOf !== undefined) {
    const wrong = schema.anyOf.map((one) => departure(one, value));
    return wrong.includes(null) ? null : wrong.join(' or ');
  }
  if (schema.enum !== undefined) {
    return schema.enum.includes(value as string) ? null : schema.enum.join(' or ');
  }
  if (schema.type === 'array') return departureOfList(schema, value);
  if (schema.type === 'string') {
    return typeof value === 'string' && value !== '' ? null : 'a text';
  }
  const { minimum, exclusiveMinimum, maximum } = schema;
  const isNumber = schema.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  const number = value as number;
  const isWithin =
    number >= (minimum ?? number) &&
    number <= (maximum ?? number) &&
    (exclusiveMinimum === undefined || number > exclusiveMinimum);
  if (isNumber && isWithin) return null;
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(maximum === undefined ? [] : [`up to ${maximum}`]),
  ];
  return ['a', ...(schema.type === 'integer' ? ['whole'] : []), 'number', ...bounds].join(' ');
}

function departureOfList(
  { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: ArgumentSchema,
  value: unknown,
): string | null {
  const each = Array.isArray(value) ? value.map((one) => departure(items, one)) : ['no list'];
  if (each.length >= minItems && each.length <= maxItems && each.every((one) => one === null)) {
    return null;
  }
  return `a list of ${minItems} to ${maxItems} texts`;
}
