// Checks that an exported name is defined once in src and the page: a reader who goes by a name comes to
// one place. Run by `npm run check`; prints every name with its places, and exits 1.

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './source-files.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** The architectures that stacks are unwound on answer the same questions by the same names. */
const ARCHITECTURES = /^src\/code\/unwind\/(?:architectures\/|arm-registers\.ts$)/;

const EXPORT =
  /^export (?:declare |abstract |async )*(?:function\*? ?|class |const |let |type |interface )(\w+)/gm;

const places = new Map();
for (const folder of ['src', 'web/src']) {
  for (const file of sourceFiles(join(root, folder))) {
    const name = relative(root, file);
    // Overloads of a function are one definition.
    const exported = new Set(
      [...readFileSync(file, 'utf8').matchAll(EXPORT)].map((match) => match[1]),
    );
    for (const one of exported) places.set(one, [...(places.get(one) ?? []), name]);
  }
}

const problems = [...places].filter(
  ([, files]) => files.length > 1 && !files.every((file) => ARCHITECTURES.test(file)),
);
if (problems.length > 0) {
  for (const [name, files] of problems) console.error(`${name}: exported by ${files.join(', ')}`);
  console.error(`${problems.length} exported names have two definitions`);
  process.exit(1);
}
console.log(`${places.size} exported names, each with one definition`);
