import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bundle } from '../../../src/cli/code-cache/bundle.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

it('a held bundle loads its files as they were, though the package was replaced since', () => {
  const folder = mkdtempSync(join(scratchDirectory(), 'bundle-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('begin.js', "exports.end = () => require('./end.js');");
  write('end.js', "exports.version = require('./version.js');");
  write('version.js', "module.exports = 'first';");
  const bundle = new Bundle(folder, new Map());
  const { end } = bundle.require('./begin.js') as { end: () => unknown };
  bundle.hold();
  write('version.js', "module.exports = 'second';");
  rmSync(join(folder, 'end.js'));
  expect(end()).toEqual({ version: 'first' });
  rmSync(folder, { recursive: true });
  expect(() => bundle.hold()).not.toThrow();
});
