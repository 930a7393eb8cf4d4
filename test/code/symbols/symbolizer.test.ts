import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { type StringIndex, StringTable } from '../../../src/base/string-table.ts';
import { parseHexAddress } from '../../../src/base/u64.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import type { KernelReference } from '../../../src/code/process/process-table.ts';
import { crc32 } from '../../../src/code/symbols/debug-file.ts';
import type { SymbolRequest } from '../../../src/code/symbols/symbol-request.ts';
import { type JitNames, Symbolizer } from '../../../src/code/symbols/symbolizer.ts';
import { elfBytes, symbolBytes } from '../elf/elf-bytes.ts';

/** A symbolizer over files that are drawn as bytes by request. */
function drawn(
  answer: (request: SymbolRequest) => Uint8Array | null,
  kernelReference: KernelReference | null = null,
  jit?: JitNames,
) {
  const dsos = new DsoTable();
  const diagnostics = new Diagnostics();
  const requests: string[] = [];
  let open = 0;
  const symbolizer = new Symbolizer({
    dsos,
    diagnostics,
    kernelReference,
    ...(jit !== undefined && { jit }),
    demangleCpp: (names) => names.map((name) => (name === '_Z3foov' ? 'foo()' : null)),
    provider: (request) => {
      requests.push(request.need);
      const bytes = answer(request);
      if (bytes === null) return null;
      open++;
      return { ...memorySource(bytes), close: () => void open-- };
    },
  });
  const codes = () => diagnostics.entries().map(({ code }) => code);
  return { dsos, symbolizer, requests, diagnostics, codes, openSources: () => open };
}

/** A program whose text lies at 0x401000 and comes from offset 0x1000; stripped, it has `.dynsym` only. */
function program(
  symbols: [name: string, address: number, size: number][],
  more: Uint8Array[] = [],
  isStripped = false,
) {
  const [buildId, link] = more;
  const { symtab, strtab } = symbolBytes(
    true,
    true,
    symbols.map(([name, value, size]) => ({ name, value, size })),
  );
  const symbolSection = {
    ...(isStripped ? { name: '.dynsym', type: 11 } : { name: '.symtab', type: 2 }),
    link: 3,
    bytes: symtab,
  };
  return elfBytes({
    is64: true,
    littleEndian: true,
    sections: [
      { name: '.text', type: 1, flags: 2, address: 0x401000 },
      ...(symbols.length > 0 ? [symbolSection] : []),
      ...(symbols.length > 0 ? [{ name: '.strtab', type: 3, bytes: strtab }] : []),
      ...(buildId ? [{ name: '.note.gnu.build-id', type: 7, bytes: buildId }] : []),
      ...(link ? [{ name: '.gnu_debuglink', type: 1, bytes: link }] : []),
    ],
    segments: [
      [1, 0, 0x400000, 0x1000],
      [1, 0x1000, 0x401000, 0x1000],
    ],
  });
}

const FILE = { kind: 'user-file', path: '/bin/app', fileId: '' } as const;

describe('a file', () => {
  test('a file names offsets in it, symbol starts in the same terms', () => {
    const bytes = program([
      ['main', 0x401010, 32],
      ['_Z3foov', 0x401040, 16],
    ]);
    const { dsos, symbolizer, openSources } = drawn(() => bytes);
    const dso = dsos.intern(FILE);
    expect(symbolizer.resolve(dso, 0x1014)).toEqual({ name: 'main', symbolStart: 0x1010 });
    expect(symbolizer.resolve(dso, 0x1040)).toEqual({ name: 'foo()', symbolStart: 0x1040 });
    expect(symbolizer.resolve(dso, 0x1030)).toBeNull();
    expect(openSources()).toBe(0);
  });

  test('a file is asked for once, whether it is there or not', () => {
    const { dsos, symbolizer, requests } = drawn((r) =>
      r.dso.kind === 'user-file' && r.dso.path === '/bin/app'
        ? program([['f', 0x401000, 1]])
        : null,
    );
    const here = dsos.intern(FILE);
    const gone = dsos.intern({ ...FILE, path: '/bin/gone' });
    for (let i = 0; i < 3; i++) {
      symbolizer.resolve(here, 0x1000);
      symbolizer.resolve(gone, 0x1000);
    }
    expect(requests).toEqual(['elf', 'elf']);
  });

  test('a file of another build is not used, and counted', () => {
    const { dsos, symbolizer, codes } = drawn(() => program([['f', 0x401000, 8]], [note(0xaa)]));
    const dso = dsos.intern(FILE, 'bbbbbbbb');
    expect(symbolizer.resolve(dso, 0x1000)).toBeNull();
    expect(codes()).toEqual(['file-of-other-build']);
  });

  test('a file that fails while being read loses its names, not the profile', () => {
    const { dsos, symbolizer, diagnostics } = drawn(() => {
      const bytes = program([['f', 0x401000, 8]]);
      bytes.subarray = () => {
        throw Object.assign(new Error('EIO: i/o error, read'), {
          code: 'EIO',
          syscall: 'read',
          path: FILE.path,
        });
      };
      return bytes;
    });
    const dso = dsos.intern(FILE);
    expect(symbolizer.resolve(dso, 0x1000)).toBeNull();
    const message = 'cannot read /bin/app: the device reports an error (EIO)';
    expect(diagnostics.entries()).toMatchObject([
      { code: 'names-missing', subject: '/bin/app', why: { cause: 'failed', message } },
    ]);
  });

  test.each([
    ['most of it has no name', [0x1000, 0x1010, 0x1020], ['names-missing']],
    ['most of it has one', [0x1000, 0x1004, 0x1020], []],
  ])('a stripped file that exports a function is told of where %s', (_, asked, reported) => {
    const { dsos, symbolizer, codes } = drawn(() => program([['exported', 0x401000, 8]], [], true));
    const names = new Int32Array(asked.length);
    symbolizer.resolveAll(dsos.intern(FILE), Float64Array.from(asked), new StringTable(), names);
    expect(codes()).toEqual(reported);
  });

  test.each([
    ['/srv/node_modules/perf-ts/prebuilds/linux-x64/code-events.so', []],
    ['/srv/node_modules/perf-ts/prebuilds/linux-x64/perf-ts.glibc.node', []],
    ['/srv/node_modules/other/prebuilds/linux-x64/other.node', ['names-missing']],
  ])('a stripped addon is told of where it is not of perf-ts: %s', (path, reported) => {
    const bytes = program([]);
    const { dsos, symbolizer, codes } = drawn((r) => (r.need === 'elf' ? bytes : null));
    symbolizer.resolve(dsos.intern({ kind: 'user-file', path, fileId: '' }), 0x1000);
    expect(codes()).toEqual(reported);
  });

  test('a file with all its symbols is not called stripped, however much of it has no name', () => {
    const { dsos, symbolizer, codes } = drawn(() => program([['f', 0x401000, 8]]));
    const names = new Int32Array(2);
    const asked = Float64Array.of(0x1020, 0x1030);
    symbolizer.resolveAll(dsos.intern(FILE), asked, new StringTable(), names);
    expect(codes()).toEqual([]);
  });

  test('a stripped file takes the first debug file with its build ID', () => {
    const { dsos, symbolizer, requests, codes, openSources } = drawn((request) => {
      if (request.need === 'elf') return program([], [note(0xaa)]);
      if (request.need !== 'debug-elf') return null;
      return request.attempt === 0
        ? program([['wrong', 0x401000, 8]], [note(0xbb)])
        : program([['right', 0x401000, 8]], [note(0xaa)]);
    });
    expect(symbolizer.resolve(dsos.intern(FILE), 0x1004)?.name).toBe('right');
    expect(requests).toEqual(['elf', 'debug-elf', 'debug-elf']);
    expect(codes()).toEqual(['debug-file-of-other-build']);
    expect(openSources()).toBe(0);
  });

  test('a file without build IDs is matched to a debuglink by its checksum', () => {
    const debug = program([['linked', 0x401000, 8]]);
    const link = new Uint8Array(12);
    link.set(new TextEncoder().encode('x.debug'));
    new DataView(link.buffer).setUint32(8, crc32(memorySource(debug)), true);
    const stripped = program([], [new Uint8Array(0), link]);
    const answer = (bytes: Uint8Array) => (r: SymbolRequest) =>
      r.need === 'elf' ? stripped : bytes;
    const good = drawn(answer(debug));
    expect(good.symbolizer.resolve(good.dsos.intern(FILE), 0x1000)?.name).toBe('linked');
    const bad = drawn(answer(program([['planted', 0x401000, 8]])));
    expect(bad.symbolizer.resolve(bad.dsos.intern(FILE), 0x1000)).toBeNull();
  });
});

describe('the kernel', () => {
  const KALLSYMS = `ffffffff81000000 T _text
ffffffff81001000 T do_work
ffffffffc0000000 t in_module	[hid]
`;
  const answer = (request: SymbolRequest) =>
    request.need === 'kallsyms' ? new TextEncoder().encode(KALLSYMS) : null;
  const at = parseHexAddress;

  test('the kernel and its modules share one list', () => {
    const { dsos, symbolizer, requests } = drawn(answer);
    const kernel = dsos.intern({ kind: 'kernel' });
    const hid = dsos.intern({ kind: 'kernel-module', name: 'hid' });
    expect(symbolizer.resolve(kernel, at('ffffffff81001004'))).toEqual({
      name: 'do_work',
      symbolStart: at('ffffffff81001000'),
    });
    expect(symbolizer.resolve(hid, at('ffffffffc0000010'))?.name).toBe('in_module');
    expect(requests).toEqual(['kallsyms']);
  });

  test('a kernel that moved since the recording is symbolized at its recorded address', () => {
    const { dsos, symbolizer, codes } = drawn(answer, {
      symbol: '_text',
      address: at('ffffffff9a000000'),
    });
    const kernel = dsos.intern({ kind: 'kernel' });
    expect(symbolizer.resolve(kernel, at('ffffffff9a001004'))).toEqual({
      name: 'do_work',
      symbolStart: at('ffffffff9a001000'),
    });
    expect(codes()).toEqual(['kernel-moved']);
  });

  test('modules of a kernel that moved are not named, which is counted', () => {
    const { dsos, symbolizer, codes } = drawn(answer, {
      symbol: '_text',
      address: at('ffffffff9a000000'),
    });
    const hid = dsos.intern({ kind: 'kernel-module', name: 'hid' });
    expect(symbolizer.resolve(hid, at('ffffffffc0000010'))).toBeNull();
    expect(codes()).toEqual(['kernel-moved', 'kernel-modules-moved']);
  });

  test.each([
    ['has no symbol of its kernel', null],
    ['has one that the list lacks', { symbol: '_stext', address: at('ffffffff9a000000') }],
  ])(
    'a recording that %s does not tell where its kernel lay, which is counted',
    (_how, reference) => {
      const { dsos, symbolizer, codes } = drawn(answer, reference);
      const kernel = dsos.intern({ kind: 'kernel' });
      expect(symbolizer.resolve(kernel, at('ffffffff81001004'))?.name).toBe('do_work');
      expect(codes()).toEqual(['kernel-place-unknown']);
    },
  );
});

describe('the kernel by its image', () => {
  const at = parseHexAddress;
  const base = at('ffffffff81000000');
  const { symtab, strtab } = symbolBytes(true, true, [
    { name: '_text', value: base },
    { name: 'startup_64', value: base },
    { name: 'do_work', value: base + 0x1000, size: 16 },
  ]);
  const image = elfBytes({
    is64: true,
    littleEndian: true,
    sections: [
      { name: '.text', type: 1, flags: 6, address: base, size: 0x2000, bytes: new Uint8Array(8) },
      { name: '.symtab', type: 2, link: 3, bytes: symtab },
      { name: '.strtab', type: 3, bytes: strtab },
    ],
  });
  const answer = ({ need }: SymbolRequest) => (need === 'kallsyms' ? image : null);

  test('a kernel image gives names by its address in memory', () => {
    const reference = { symbol: '_text', address: at('ffffffff9a000000') };
    const { dsos, symbolizer, codes, openSources } = drawn(answer, reference);
    const kernel = dsos.intern({ kind: 'kernel' });
    expect(symbolizer.resolve(kernel, at('ffffffff9a001004'))).toEqual({
      name: 'do_work',
      symbolStart: at('ffffffff9a001000'),
    });
    expect(symbolizer.resolve(kernel, at('ffffffff81001004'))).toBeNull();
    const module = dsos.intern({ kind: 'kernel-module', name: 'hid' });
    expect(symbolizer.resolve(module, at('ffffffff9a001004'))).toBeNull();
    expect(codes()).toEqual(['kernel-modules-moved']);
    expect(openSources()).toBe(0);
  });

  test('a kernel image at an unknown address gives no names', () => {
    const { dsos, symbolizer, codes } = drawn(answer);
    expect(symbolizer.resolve(dsos.intern({ kind: 'kernel' }), base + 0x1004)).toBeNull();
    const other = drawn(answer, { symbol: 'gone', address: base });
    expect(other.symbolizer.resolve(other.dsos.intern({ kind: 'kernel' }), base)).toBeNull();
    expect([codes(), other.codes()]).toEqual([['kernel-unnamed'], ['kernel-unnamed']]);
  });
});

describe('other code', () => {
  test('JIT code is named by its JIT, BPF by its program, other code not at all', () => {
    const { dsos, symbolizer, requests } = drawn(() => null, null, {
      resolve: (_dso, address) =>
        address === 0x7f0018 ? { name: '_Z3foov', symbolStart: 0x7f0010 } : null,
    });
    const jit = dsos.intern({ kind: 'jit', pid: 9 });
    expect(symbolizer.resolve(jit, 0x7f0018)).toEqual({ name: 'foo()', symbolStart: 0x7f0010 });
    const strings = new StringTable();
    const names = new Int32Array(2);
    symbolizer.resolveAll(jit, Float64Array.of(0x7f0010, 0x7f0018), strings, names);
    expect(names[0]).toBe(-1);
    expect(strings.get(names[1] as StringIndex)).toBe('foo()');
    const bpf = dsos.intern({ kind: 'bpf', name: 'bpf_prog_abc' });
    expect(symbolizer.resolve(bpf, -4096)?.name).toBe('bpf_prog_abc');
    const unknown = dsos.intern({ kind: 'unknown', name: '[vvar]' });
    expect(symbolizer.resolve(unknown, 1)).toBeNull();
    expect(requests).toEqual([]);
  });
});

test('many addresses are named in one go, each name once', () => {
  const bytes = program([
    ['main', 0x401010, 32],
    ['_Z3foov', 0x401040, 16],
  ]);
  const { dsos, symbolizer } = drawn(() => bytes);
  const strings = new StringTable();
  const names = new Int32Array(5);
  const addresses = Float64Array.of(0x1010, 0x1000, 0x1020, 0x1040, 0x1050);
  symbolizer.resolveAll(dsos.intern(FILE), addresses, strings, names);
  expect(Array.from(names, (name) => (name < 0 ? null : strings.strings[name]))).toEqual([
    'main',
    null,
    'main',
    'foo()',
    null,
  ]);
  expect(strings.strings).toEqual(['', 'main', 'foo()']);
});

test('the checksum is the CRC-32 of zlib', () => {
  expect(crc32(memorySource(new TextEncoder().encode('123456789')))).toBe(0xcbf4_3926);
  // A gzip file ends in the checksum and the size. More than is read at once.
  const bytes = Uint8Array.from({ length: 3_000_001 }, (_, i) => (i * i) >>> 3);
  const zipped = gzipSync(bytes, { level: 0 });
  expect(crc32(memorySource(bytes))).toBe(zipped.readUInt32LE(zipped.length - 8));
});

/** A build ID note of four equal bytes. */
function note(byte: number): Uint8Array {
  const bytes = new Uint8Array(20);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 4, true);
  view.setUint32(4, 4, true);
  view.setUint32(8, 3, true);
  bytes.set([0x47, 0x4e, 0x55, 0, byte, byte, byte, byte], 12);
  return bytes;
}
