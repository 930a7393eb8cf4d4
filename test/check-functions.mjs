// Checks that functions fit a screen: 80 lines at most, those inside them included. A switch or table over
// the forms of a format may be longer, and is named here. Run by `npm run check`; exits 1 with any.

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { sourceFiles } from './source-files.mjs';

const MAX_LINES = 80;
/** Switches over a format, with what they follow. */
const OVER_A_FORMAT = {
  'src/code/dwarf/form-value.ts': 'DWARF 5, section 7.5.6: a case for each form',
};

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const problems = [];
let functions = 0;
for (const folder of ['src', 'web/src']) {
  for (const file of sourceFiles(join(root, folder))) {
    const text = readFileSync(file, 'utf8');
    const name = relative(root, file);
    visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), (node) => {
      if (!FUNCTIONS.includes(node.type)) return;
      functions++;
      const lines = text.slice(node.start, node.end).split('\n').length;
      if (lines <= MAX_LINES || name in OVER_A_FORMAT) return;
      const line = text.slice(0, node.start).split('\n').length;
      problems.push(`${name}:${line}: a function of ${lines} lines, of ${MAX_LINES} that may be`);
    });
  }
}
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
console.log(`${functions} functions, none longer than ${MAX_LINES} lines`);

function visit(node, onNode) {
  if (node === null || typeof node !== 'object') return;
  if (typeof node.type === 'string') onNode(node);
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const one of value) visit(one, onNode);
    else visit(value, onNode);
  }
}
