import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfText, isEscaped, textOfBytes } from '../../../src/base/byte-text.ts';
import { printable } from '../../../src/base/printable.ts';
import { exactArguments, exactEnvironment } from '../../../src/system/launch/exact-words.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test('any bytes survive as text, and UTF-8 is its usual text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(bytesOfText(textOfBytes(bytes))).toEqual(new Uint8Array(bytes));
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(textOfBytes(Buffer.from(text))).toBe(text);
      expect(isEscaped(text)).toBe(false);
    }),
  );
});

test.each([
  ['61ff62', 'a\udcffb'],
  ['c3', '\udcc3'],
  // An encoded surrogate, an overlong slash, a code point above U+10FFFF.
  ['eda080', '\udced\udca0\udc80'],
  ['c0af', '\udcc0\udcaf'],
  ['f4908080', '\udcf4\udc90\udc80\udc80'],
  ['efbbbf61', '\ufeffa'],
  ['f09f9880ff', '😀\udcff'],
])('bytes %s', (hex, text) => {
  expect(textOfBytes(Buffer.from(hex, 'hex'))).toBe(text);
  expect(Buffer.from(bytesOfText(text)).toString('hex')).toBe(hex);
});

test('bytes that are not UTF-8 are printed as such', () => {
  expect(printable('caf\udce9 😀')).toBe('caf\\xe9 😀');
});

test('arguments are read again only where Node has lost something', () => {
  const fail = () => {
    throw new Error('read');
  };
  expect(exactArguments(['record', 'é'], fail)).toEqual(['record', 'é']);
  const cmdline = latin1('node\0--flag\0main.js\0record\0caf\xe9\0\0');
  expect(exactArguments(['record', 'caf\ufffd', ''], () => cmdline)).toEqual([
    'record',
    'caf\udce9',
    '',
  ]);
  expect(exactArguments(['caf\ufffd'], fail)).toEqual(['caf\ufffd']);
});

test('unchanged environment variables keep their bytes', () => {
  const environ = latin1('RAW=a\xff\0N\xe9=1\0SAME=x\0CHANGED=\xff\0');
  const env = { RAW: 'a\ufffd', 'N\ufffd': '1', SAME: 'x', CHANGED: 'new', ADDED: '\ufffd' };
  expect(exactEnvironment(env, () => environ)).toEqual({
    RAW: 'a\udcff',
    'N\udce9': '1',
    SAME: 'x',
    CHANGED: 'new',
    ADDED: '\ufffd',
  });
});
