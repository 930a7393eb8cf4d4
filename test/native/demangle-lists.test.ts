// C++ names of libiberty's own tests, through the addon.

import { describe, expect, test } from 'vitest';
import { demangleAll } from '../../src/code/symbols/demangle.ts';
import { loadBinding } from '../../src/native/binding.ts';
import { hasCorpora } from '../helpers/corpora.ts';
import { readCorpusText } from '../helpers/corpus-text.ts';

/** Types, which a symbol of the same spelling is not. */
const BARE_TYPES = ['St9bad_alloc', 'U4_farrVKPi', '2CBIL_Z3foocEE', '2CBIL_Z7IsEmptyEE'];

describe.skipIf(!hasCorpora)('C++ names in libiberty’s own list', () => {
  test("C++ names of libiberty's list demangle as listed, but for placed types", () => {
    const lines = readCorpusText('ianlancetaylor+demangle/demangle-expected')
      .split('\n')
      .filter((line) => !line.startsWith('#'));
    const mangled: string[] = [];
    const expected: string[] = [];
    for (let i = 0; i + 2 < lines.length; ) {
      const options = lines[i];
      const isPlain = options.includes('--format=gnu-v3') && !options.includes('--ret-');
      if (isPlain) {
        mangled.push(lines[i + 1]);
        expected.push(lines[i + 2]);
      }
      i += options.includes('--no-params') ? 4 : 3;
    }
    expect(mangled.length).toBeGreaterThan(200);
    const binding = loadBinding();
    const shown = demangleAll(mangled, (names) => binding.demangle(names));
    const differing = mangled.filter((_, i) => shown[i] !== expected[i]);
    expect(differing).toEqual(BARE_TYPES);
  });
});
