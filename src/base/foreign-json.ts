/** The value of a JSON text; undefined where it is none. Its shape is not known: the caller reads it field by field. */
export function parseForeignJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value of a JSON text is an object with members. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The field of an object, own and of whichever type; undefined where the value is no object or has none. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** A field that is a text of at most so many characters; null otherwise. */
export function textField(value: unknown, name: string, mostChars: number): string | null {
  const field = fieldOf(value, name);
  return typeof field === 'string' && field.length <= mostChars ? field : null;
}

/** A field that is a finite number; null otherwise. */
export function numberField(value: unknown, name: string): number | null {
  const field = fieldOf(value, name);
  return typeof field === 'number' && Number.isFinite(field) ? field : null;
}
