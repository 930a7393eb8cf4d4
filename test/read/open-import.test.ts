import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { openImport } from '../../src/read/open-import.ts';

function namesOf(text: string): string[] {
  const imported = openImport(memorySource(new TextEncoder().encode(text)));
  if (imported === null) throw new Error('the text is not understood');
  const { funcs, strings } = imported.profile;
  return Array.from(funcs.name.slice(0, funcs.length), (name) => strings[name]);
}

const NAMES: [mangled: string, shown: string][] = [
  ['_ZN4core3fmt5write17h0123456789abcdefE', 'core::fmt::write'],
  ['_RNvCs1234_7mycrate3foo', 'mycrate::foo'],
  ['_ZN5boost4spinEi', 'boost::spin(int)'],
  ['Ljava/lang/Thread;::run', 'java/lang/Thread::run'],
  ['LFoo;::bar', 'Foo::bar'],
  ['Lorg/mozilla/Context;.call', 'org/mozilla/Context.call'],
  ['LLVMInit', 'LLVMInit'],
  ['Lock::take', 'Lock::take'],
  ['main', 'main'],
];

describe('a name in the text of another tool', () => {
  test.each(NAMES)('%s of perf script is shown as %s', (name, shown) => {
    expect(namesOf(`app 1 1.5: cycles: \n\t 401000 ${name}+0x4 (/bin/app)\n`)).toEqual([shown]);
  });

  test.each(NAMES)('%s of folded stacks is shown as %s', (name, shown) => {
    const inFolded = name.replace(';.', ':.');
    expect(namesOf(`app;${inFolded} 3\nVM Thread;${inFolded} 4\n`)).toEqual([shown]);
  });

  test('Ljava/lang/Thread:::run, as stackcollapse writes it, is shown as java/lang/Thread::run', () => {
    expect(namesOf('app;Ljava/lang/Thread:::run 3\n')).toEqual(['java/lang/Thread::run']);
  });
});

describe('a gzipped file of another tool', () => {
  const open = (bytes: Uint8Array) => openImport(memorySource(bytes));

  test('a gzipped file is read as what it unpacks to', () => {
    expect(open(gzipSync('app;main;work 17\n'))?.format).toBe('folded');
    // sample_type { 1 1 }, string_table "" "samples"
    const pprof = Buffer.from('0a0408011001320032077361 6d706c6573'.replace(' ', ''), 'hex');
    expect(open(gzipSync(pprof))?.format).toBe('pprof');
  });

  test.each([
    [
      gzipSync('PERFILE2 and so on'),
      'it is gzip-compressed; unpacked, it is a perf.data file: gunzip it first',
    ],
    [
      gzipSync('\x7fELF'),
      'it is gzip-compressed; unpacked, it is an ELF file (a program or library)',
    ],
    [gzipSync('app;main 17\n').subarray(0, 12), 'it is gzip-compressed and damaged or cut'],
  ])('a gzipped file that holds no profile is refused with what it is', (bytes, message) => {
    expect(() => open(bytes)).toThrow(message);
  });

  test('a gzipped file that unpacks to more than is read is refused before it is unpacked whole', () => {
    const bomb = gzipSync(Buffer.alloc(2 << 20));
    const openBounded = () => openImport(memorySource(bomb), { maxUnpacked: 1 << 20 });
    expect(openBounded).toThrow('it unpacks to more than 1 MiB');
  });
});
