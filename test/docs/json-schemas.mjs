// Makes docs/reference/json/*.schema.json of the types of src/cli/reference/json-documents.ts, with their
// docstrings: `npm run reference` writes them, test/docs/json-schemas.test.ts compares them.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
// TypeScript 7 has no interface for programs yet; api-extractor comes with the one before.
const require = createRequire(import.meta.resolve('@microsoft/api-extractor'));
const ts = require('typescript');

const SOURCE = join(root, 'src/cli/reference/json-documents.ts');
export const FOLDER = join(root, 'docs/reference/json');

/** The schemas by file name, as text. */
export function jsonSchemas() {
  const program = ts.createProgram([SOURCE], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(SOURCE);
  const [documents] = checker
    .getExportsOfModule(checker.getSymbolAtLocation(file))
    .filter(({ name }) => name === 'JsonDocuments');
  const type = checker.getDeclaredTypeOfSymbol(documents);
  return type.getProperties().map((property) => {
    const schema = new SchemaWriter(checker).documentOf(property);
    return { file: `${property.name}.schema.json`, text: `${JSON.stringify(schema, null, 2)}\n` };
  });
}

class SchemaWriter {
  #checker;
  /** Types with a name that are written once. */
  #definitions = new Map();
  #path = [];

  constructor(checker) {
    this.#checker = checker;
  }

  documentOf(property) {
    this.#path = [property.name];
    const body = this.#schemaOf(this.#checker.getTypeOfSymbol(property), false);
    const defs = [...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `perf-ts ${property.name}`,
      description: this.#docOf(property),
      ...body,
      ...(defs.length > 0 && {
        $defs: Object.fromEntries(defs.map(([name, { schema }]) => [name, schema])),
      }),
    };
  }

  #docOf(symbol) {
    return ts
      .displayPartsToString(symbol.getDocumentationComment(this.#checker))
      .replace(/\s+/g, ' ');
  }

  #schemaOf(type, mayRefer = true) {
    const { TypeFlags } = ts;
    if (type.flags & (TypeFlags.Any | TypeFlags.Unknown)) return {};
    if (type.isUnion()) return this.#unionOf(type);
    if (type.flags & TypeFlags.StringLiteral) return { const: type.value };
    if (type.flags & TypeFlags.NumberLiteral) return { const: type.value };
    if (type.flags & TypeFlags.BooleanLiteral)
      return { const: this.#checker.typeToString(type) === 'true' };
    if (type.flags & TypeFlags.Null) return { type: 'null' };
    // JSON has no such number; the commands print it in decimal digits.
    if (type.flags & TypeFlags.BigIntLike) return { type: 'string' };
    if (type.flags & TypeFlags.StringLike) return { type: 'string' };
    if (type.flags & TypeFlags.NumberLike) return { type: 'number' };
    if (type.flags & TypeFlags.BooleanLike) return { type: 'boolean' };
    if (type.isIntersection() && type.types.some(({ flags }) => flags & TypeFlags.NumberLike))
      return { type: 'number' };
    if (type.flags & (TypeFlags.Object | TypeFlags.Intersection))
      return this.#objectOf(type, mayRefer);
    throw new Error(`${this.#path.join('.')}: no schema of ${this.#checker.typeToString(type)}`);
  }

  #unionOf(type) {
    const parts = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const isBoolean = parts.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral).length === 2;
    const schemas = parts
      .filter(({ flags }) => !(isBoolean && flags & ts.TypeFlags.BooleanLiteral))
      .map((part) => this.#schemaOf(part));
    if (isBoolean) schemas.unshift({ type: 'boolean' });
    const constants = schemas.filter((schema) => 'const' in schema).map((schema) => schema.const);
    const others = schemas.filter((schema) => !('const' in schema));
    const simple = [
      ...new Set(
        others
          .filter((each) => Object.keys(each).join() === 'type')
          .flatMap(({ type: name }) => name),
      ),
    ];
    const complex = others.filter((each) => Object.keys(each).join() !== 'type');
    const alternatives = [
      ...(constants.length > 0 ? [{ enum: constants }] : []),
      ...(simple.length > 0 ? [{ type: simple.length > 1 ? simple : simple[0] }] : []),
      ...complex,
    ];
    return alternatives.length === 1 ? alternatives[0] : { anyOf: alternatives };
  }

  #objectOf(type, mayRefer) {
    if (this.#checker.isTupleType(type) || this.#checker.isArrayType(type)) {
      const items = this.#checker.getTypeArguments(type);
      const schemas = items.map((item) => this.#schemaOf(item));
      if (this.#checker.isArrayType(type)) return { type: 'array', items: schemas[0] };
      return {
        type: 'array',
        prefixItems: schemas,
        minItems: items.length,
        maxItems: items.length,
      };
    }
    const name = type.aliasSymbol?.name;
    if (!mayRefer || name === undefined || type.aliasTypeArguments !== undefined)
      return this.#propertiesOf(type);
    const known = this.#definitions.get(name);
    if (known === undefined) {
      const entry = { type, schema: {} };
      this.#definitions.set(name, entry);
      const description = this.#docOf(type.aliasSymbol);
      entry.schema = { ...(description !== '' && { description }), ...this.#propertiesOf(type) };
    } else if (known.type !== type) {
      return this.#propertiesOf(type);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #propertiesOf(type) {
    const checker = this.#checker;
    const text = checker.typeToString(type);
    if (/^(?:\w+Array|Map|Set|ReadonlyMap|ReadonlySet|Date)\b/.test(text))
      throw new Error(`${this.#path.join('.')}: JSON has no ${text}`);
    const required = [];
    const properties = {};
    for (const property of checker.getPropertiesOfType(type)) {
      const of = checker.getTypeOfSymbol(property);
      if (of.flags & ts.TypeFlags.Undefined) continue;
      if (of.getCallSignatures().length > 0)
        throw new Error(`${this.#path.join('.')}: ${property.name} is a function`);
      this.#path.push(property.name);
      const schema = this.#schemaOf(of);
      this.#path.pop();
      const description = this.#docOf(property);
      properties[property.name] = { ...(description !== '' && { description }), ...schema };
      const mayMiss =
        property.flags & ts.SymbolFlags.Optional ||
        (of.isUnion() && of.types.some(({ flags }) => flags & ts.TypeFlags.Undefined));
      if (!mayMiss) required.push(property.name);
    }
    const index = checker.getIndexInfosOfType(type)[0];
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(index !== undefined && { additionalProperties: this.#schemaOf(index.type) }),
    };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(FOLDER)) if (name.endsWith('.json')) rmSync(join(FOLDER, name));
  for (const { file, text } of jsonSchemas()) writeFileSync(join(FOLDER, file), text);
}
