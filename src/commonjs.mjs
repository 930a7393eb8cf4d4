// Writes the package's door for CommonJS, dist/index.cjs with its types, from what dist/index.js exports. Node loads
// the modules themselves by `require`; TypeScript under `node16` refuses an ES module there, so that the types have to
// be those of CommonJS: each value has the type of its twin, each class its name as a type, too.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const library = './index.js';
const mode = "with { 'resolution-mode': 'import' }";

/** Type parameters of each declared class, '' of most: `<Key extends string>`. An exported name has one definition. */
const parameters = new Map(
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .flatMap((file) => [
      ...readFileSync(join(dist, file), 'utf8').matchAll(
        /^export declare (?:abstract )?class (\w+)(<.*?>)?(?= extends | implements | \{)/gm,
      ),
    ])
    .map(([, name, list = '']) => [name, list]),
);

function declare(name) {
  const value = `export declare const ${name}: typeof library.${name};`;
  const list = parameters.get(name);
  if (list === undefined) return [value];
  const given = list.replace(/ extends [^,>]+/g, '');
  return [value, `export type ${name}${list} = library.${name}${given};`];
}

const names = Object.keys(await import('../dist/index.js'));
const lines = [
  `import type * as library from '${library}' ${mode};`,
  `export type * from '${library}' ${mode};`,
  ...names.flatMap(declare),
];
writeFileSync(join(dist, 'index.cjs'), `module.exports = require('${library}');\n`);
writeFileSync(join(dist, 'index.d.cts'), `${lines.join('\n')}\n`);
