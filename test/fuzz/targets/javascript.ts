// Source maps, and the names that V8 and compilers give to functions.

import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { ownerOfScript } from '../../../src/code/javascript/owners.ts';
import { pathOfScript, shortPath } from '../../../src/code/javascript/script-path.ts';
import { SourceMap } from '../../../src/code/javascript/source-map.ts';
import { parseV8Name } from '../../../src/code/javascript/v8-name.ts';
import { demangleAll, demangleRust } from '../../../src/code/symbols/demangle.ts';
import { escapeComm, escapeFrameName, tidyName } from '../../../src/formats/export/folded.ts';
import { demangler } from '../../../src/read/code/demangler.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { below, pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { type Target, toBytes, toText } from '../target.ts';

const MAPS = [
  {
    version: 3,
    sources: ['src/a.ts', '../b.ts'],
    sourceRoot: '/srv',
    names: ['f', 'g', 'Klass'],
    mappings: 'AAAA,SAASA,EAAE;;AACX,IAAIC,EAAE,CCAA;AAAAC,gBAAgB',
  },
  {
    version: 3,
    sections: [
      {
        offset: { line: 0, column: 0 },
        map: { version: 3, sources: ['c.ts'], names: [], mappings: 'AAAA' },
      },
      {
        offset: { line: 9, column: 4 },
        map: { version: 3, sources: ['d.ts'], names: [], mappings: 'AAAA' },
      },
    ],
  },
];

const V8_NAMES = [
  'JS:*fib /home/me/a b/fib.js:3:13',
  'JS:^get size node:internal/deps/lru:7:11',
  'JS:~ file:///srv/app.mjs:1:20',
  'Script:~ file:///srv/app.mjs:1:1',
  'JS:wasm-function[20]-20-turbofan',
  'LazyCompile:*Foo.bar [eval]:1:1',
];

const MANGLED = [
  '_RNvCskwGfYPst2Cb_3foo16example_function',
  '_RNvMs_Csn_7example_INtB4_3FooNtB4_3BarE3foo',
  '_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std',
  '_ZN3foo17h05af221e174051e9E',
  '_ZNSt6vectorIiSaIiEE9push_backEOi',
  '_ZSt4moveIRSt8functionIFvvEEEONSt16remove_referenceIT_E4typeEOS5_',
  '_ZN5boost6detail8functionIN4asio2ip3tcpEE6invokeINS_3mpl5boolTILb1EEEEEvT_RKS8_',
  '_RYFG0_EvNvCs1_3a1b',
  '_RNvYpNtB2_1a1b',
];

function mangledSeeds(): Uint8Array[] {
  const texts = hasCorpora
    ? toText(readCorpus('ianlancetaylor+demangle/demangle-expected'))
        .split('\n')
        .filter((line) => /^_[ZR]/.test(line) && line.length < 400)
    : [];
  return [...MANGLED, ...texts].map(toBytes);
}

const mutate = (all: readonly Uint8Array[], random: Random) =>
  toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random));

/** A demangled name longer than this out of one of a few hundred bytes is an attack. */
const LONGEST_NAME = 4 * 2 ** 20;
let demangleCpp: ReturnType<typeof demangler> | undefined;

export const javascriptTargets: readonly Target[] = [
  {
    name: 'source-map',
    seeds: () => MAPS.map((map) => toBytes(JSON.stringify(map))),
    mutate,
    read(bytes, random) {
      const map = SourceMap.parse(toText(bytes), '/srv/out/a.js.map');
      if (map === null) return;
      for (let i = 0; i < 8; i++) map.find(below(random, 12), below(random, 60), 'f');
      map.find(0, 0, '');
      map.find(2 ** 31, 2 ** 53, 'x'.repeat(100));
      map.find(-1, -1, 'f');
    },
  },
  {
    name: 'v8-name',
    seeds: () => V8_NAMES.map(toBytes),
    mutate,
    read(bytes) {
      const text = toText(bytes);
      const parsed = parseV8Name(text);
      const path = pathOfScript(parsed?.file ?? text);
      shortPath(path, '/srv');
      ownerOfScript(text, path);
    },
  },
  {
    name: 'demangle',
    seeds: mangledSeeds,
    mutate,
    read(bytes) {
      const text = toText(bytes);
      demangleRust(text);
      demangleCpp ??= demangler(new Diagnostics());
      const [shown = ''] = demangleAll([text], demangleCpp);
      if (shown.length > LONGEST_NAME) throw new RangeError(`${shown.length} characters`);
      escapeFrameName(shown);
      escapeComm(text);
      tidyName(text);
    },
  },
];
