import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { readDebugAltlink } from '../../../src/code/elf/debugaltlink.ts';
import { parseElf } from '../../../src/code/elf/elf-file.ts';
import { findAltFile, findDebugFile, has } from '../../../src/code/symbols/debug-file.ts';
import { SymbolFiles } from '../../../src/read/files/symbol-files.ts';
import { elfBytes } from '../elf/elf-bytes.ts';

const hasDwz = spawnSync('dwz', ['--version']).error === undefined;
const folder = mkdtempSync(join(tmpdir(), 'debug-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const app = join(folder, 'app');
const dso = { kind: 'user-file', path: app, fileId: '' } as const;

function open(path = app) {
  const diagnostics = new Diagnostics();
  const { provide } = new SymbolFiles({
    diagnostics,
    places: {
      debugDirectories: [join(folder, 'debug')],
      buildIdDirectory: join(folder, 'build-ids'),
      debuginfodDirectory: join(folder, 'debuginfod'),
    },
  });
  const request = { ...dso, path };
  const source = provide({ need: 'elf', dso: request, buildId: null });
  const elf = source && parseElf(source, diagnostics);
  if (source === null || elf === null) throw new Error(`${path} can't be opened`);
  const codes = () => diagnostics.entries().map(({ code }) => code);
  return { elf, provide, diagnostics, codes, close: () => source.close?.() };
}

/** A stripped program whose debug file is at one of the places of a debuglink. */
beforeAll(() => {
  const text = 'int work(int a) { return a * 7; } int main(void) { return work(6); }';
  execFileSync('gcc', ['-g', '-O1', '-x', 'c', '-', '-o', app], { input: text });
  mkdirSync(join(folder, '.debug'));
  const debug = join(folder, '.debug/app.debug');
  execFileSync('objcopy', ['--only-keep-debug', app, debug]);
  execFileSync('objcopy', ['--strip-all', `--add-gnu-debuglink=${debug}`, app]);
});

describe('the debug file of a stripped program', () => {
  test.each(['symbols', 'dwarf'] as const)('the debug file is found for its %s', (contents) => {
    const { elf, provide, diagnostics, close } = open();
    expect(has(elf, contents)).toBe(false);
    const debug = findDebugFile(elf, dso, provide, diagnostics, contents);
    expect(debug && has(debug.elf, contents)).toBe(true);
    debug?.source.close?.();
    close();
  });

  test('a debug file of another build is not used', () => {
    const other = join(folder, 'other');
    execFileSync('gcc', ['-g', '-x', 'c', '-', '-o', other], {
      input: 'int main(void) { return 3; }',
    });
    const kept = join(folder, 'kept');
    cpSync(join(folder, '.debug'), kept, { recursive: true });
    execFileSync('objcopy', ['--only-keep-debug', other, join(folder, '.debug/app.debug')]);
    const { elf, provide, diagnostics, codes, close } = open();
    expect(findDebugFile(elf, dso, provide, diagnostics)).toBeNull();
    expect(codes()).toContain('debug-file-of-other-build');
    cpSync(kept, join(folder, '.debug'), { recursive: true });
    close();
  });
});

describe('where one of the two has no build ID', () => {
  const bare = join(folder, 'bare/app');
  const debug = join(folder, 'bare/app.debug');
  const find = () => {
    const { elf, provide, diagnostics, close } = open(bare);
    const found = findDebugFile(elf, { ...dso, path: bare }, provide, diagnostics);
    found?.source.close?.();
    close();
    return found !== null;
  };
  beforeAll(() => {
    mkdirSync(join(folder, 'bare'));
    execFileSync('gcc', ['-g', '-Wl,--build-id', '-x', 'c', '-', '-o', bare], {
      input: 'int main(void) { return 5; }',
    });
    execFileSync('objcopy', ['--only-keep-debug', bare, debug]);
    const strip = ['--strip-all', '--remove-section=.note.gnu.build-id'];
    execFileSync('objcopy', [...strip, `--add-gnu-debuglink=${debug}`, bare]);
  });

  test("the debuglink's checksum decides about a debug file where there is no build ID", () => {
    expect(find()).toBe(true);
    const meant = readFileSync(debug);
    appendFileSync(debug, 'x');
    expect(find()).toBe(false);
    writeFileSync(debug, meant);
  });
});

describe('what dwz moved out of debug files', () => {
  test.skipIf(!hasDwz)('a dwz file is found by the link, and only with the build ID of it', () => {
    const text = (value: number) => `
      struct shared { int one; struct shared *next; double two; char name[40]; long more[8]; };
      struct shared table[4]; int use(struct shared *s) { return s->one + s->more[3]; }
      int main(void) { return use(&table[${value}]); }`;
    const files = [1, 2].map((value) => {
      const file = join(folder, `dwz-${value}.debug`);
      execFileSync('gcc', ['-g', '-x', 'c', '-', '-o', file], { input: text(value) });
      return file;
    });
    const shared = join(folder, 'shared.debug');
    execFileSync('dwz', ['-m', shared, '-M', 'shared.debug', ...files], { stdio: 'ignore' });
    const own = { ...dso, path: files[0] };
    const first = open(own.path);
    expect(readDebugAltlink(first.elf, first.diagnostics)?.path).toBe('shared.debug');
    const alt = findAltFile(first.elf, own, first.provide, first.diagnostics);
    expect(alt && has(alt.elf, 'dwarf')).toBe(true);
    alt?.source.close?.();
    cpSync(files[1], shared);
    expect(findAltFile(first.elf, own, first.provide, first.diagnostics)).toBeNull();
    expect(first.codes()).toEqual(['debugaltlink-file-missing']);
    first.close();
  });

  test('a dwz file is not looked for where the link is damaged', () => {
    for (const bytes of [[0, 1, 2], [0x61, 0x62], [0x61, 0], new Array(9000).fill(0x61)]) {
      const sections = [{ name: '.gnu_debugaltlink', type: 1, bytes: Uint8Array.from(bytes) }];
      const file = elfBytes({ is64: true, littleEndian: true, sections });
      const diagnostics = new Diagnostics();
      const elf = parseElf(memorySource(file), diagnostics);
      expect(elf && readDebugAltlink(elf, diagnostics)).toBeNull();
      expect(diagnostics.entries()).toMatchObject([{ code: 'elf-debugaltlink-damaged', count: 1 }]);
    }
  });
});

describe('split DWARF', () => {
  test('split DWARF is looked for at its recorded path, next to the program, and in a package', () => {
    mkdirSync(join(folder, 'obj'), { recursive: true });
    writeFileSync(join(folder, 'obj/unit.dwo'), 'compiler');
    writeFileSync(join(folder, 'unit.dwo'), 'beside');
    writeFileSync(`${app}.dwp`, 'package');
    const { provide, close } = open();
    const ask = (attempt: number, name = 'unit.dwo'): string | null => {
      const compDir = join(folder, 'obj');
      const source = provide({ need: 'split-dwarf', dso, buildId: null, compDir, name, attempt });
      return source && new TextDecoder().decode(source.read(0, source.size));
    };
    expect([ask(0), ask(1), ask(2)]).toEqual(['compiler', 'beside', null]);
    expect([ask(0, 'gone/unit.dwo'), ask(0, '..')]).toEqual(['beside', null]);
    const packed = provide({ need: 'dwarf-package', dso, buildId: null });
    expect(packed && new TextDecoder().decode(packed.read(0, 99))).toBe('package');
    close();
  });

  test('a package lies beside the debug file where none is beside the program', () => {
    const stripped = { ...dso, path: join(folder, 'packed') };
    writeFileSync(join(folder, 'packed.debug'), 'debug file');
    writeFileSync(join(folder, 'packed.debug.dwp'), 'package of it');
    const { provide, close } = open();
    const ask = () => provide({ need: 'dwarf-package', dso: stripped, buildId: null });
    expect(ask()).toBeNull();
    const debuglink = { name: 'packed.debug', crc: 0 };
    const request = { need: 'debug-elf', dso: stripped, buildId: null, debuglink } as const;
    provide({ ...request, attempt: 0 })?.close?.();
    const packed = ask();
    expect(packed && new TextDecoder().decode(packed.read(0, 99))).toBe('package of it');
    close();
  });
});
