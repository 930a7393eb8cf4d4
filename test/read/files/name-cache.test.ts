import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { type StringIndex, StringTable } from '../../../src/base/string-table.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { DsoLines } from '../../../src/code/symbols/dso-lines.ts';
import { decodeFound, encodeFound } from '../../../src/code/symbols/found-frames.ts';
import { Symbolizer } from '../../../src/code/symbols/symbolizer.ts';
import { NameCache } from '../../../src/read/files/name-cache.ts';
import { sectionDecoders } from '../../../src/read/files/section-decoders.ts';
import { SymbolFiles } from '../../../src/read/files/symbol-files.ts';
import { compileC } from '../../helpers/compile.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-names-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const SOURCE = (name: string, line: number) => `
#line ${line} "/src/${name}.c"
static __attribute__((noinline)) int ${name}(int a) { return a * 7; }
int main(int c, char **v) { return ${name}(c); }`;

/** Programs with and without symbols, built once. */
const text = (name: string, source: string): string => {
  const path = join(scratch, name);
  writeFileSync(path, source);
  return path;
};
const FLAGS = ['-O1', '-g', '-Wl,--build-id'];
const first = compileC(text('first.c', SOURCE('first_one', 10)), FLAGS);
const second = compileC(text('second.c', SOURCE('other_one', 20)), FLAGS);

/** A program in a folder of its own, with a cache and a tree of debug files; all of it empty but for `app`. */
function place() {
  const folder = mkdtempSync(join(scratch, 'place-'));
  const [app, home, debug] = ['app', 'cache', 'debug'].map((name) => join(folder, name));
  mkdirSync(home, { mode: 0o700 });
  copyFileSync(first, app);
  return { folder, app, home, debug, own: join(home, 'perf-ts') };
}

type Place = ReturnType<typeof place>;

/** Long after all files here were made. */
const LATER = { now: () => Date.now() + 3_600_000 };

/** Every name and line in a program's code, with the files that were asked for. */
function look({ app, home, debug, folder }: Place, options: { now?: () => number } = LATER) {
  const dsos = new DsoTable();
  const dso = dsos.intern({ kind: 'user-file', path: app, fileId: '' });
  const diagnostics = new Diagnostics();
  const places = {
    debugDirectories: [debug],
    buildIdDirectory: join(folder, 'none'),
    debuginfodDirectory: join(folder, 'none'),
  };
  let reads = 0;
  const files = new SymbolFiles({ diagnostics, places });
  const provider: SymbolFiles['provide'] = (request) => {
    const source = files.provide(request);
    if (source === null) return null;
    const read = (offset: number, length: number) => {
      reads++;
      return source.read(offset, length);
    };
    return { ...source, read };
  };
  const memory = NameCache.open({ demangles: false, home, ...options });
  const shared = { dsos, provider, demangleCpp: null, diagnostics, kernelReference: null, memory };
  const addresses = Float64Array.from({ length: 64 }, (_, i) => 0x1000 + 16 * i);
  const strings = new StringTable();
  const rows = new Int32Array(addresses.length);
  new Symbolizer(shared).resolveAll(dso, addresses, strings, rows);
  const names = Array.from(rows, (row) => (row < 0 ? '' : strings.get(row as StringIndex)));
  const lines = new DsoLines({ ...shared, decoders: sectionDecoders });
  const atAddress = Array.from(addresses, (address) => {
    const count = lines.find(dso, address);
    return Array.from(
      { length: count },
      (_, row) => `${lines.name(row)} ${lines.file(row)}:${lines.frames.line[row]}`,
    ).join(' < ');
  });
  lines.close();
  memory?.close();
  const reported = diagnostics.entries().map(({ code }) => code);
  return { found: { names, places: atAddress, reported }, reads };
}

const functionsIn = ({ names }: { names: string[] }) =>
  [...new Set(names)].filter((name) => /_one$/.test(name));

describe('names that are kept between runs', () => {
  it('kept names are the same as looked up, without a look at the tables of symbols and lines', () => {
    const app = place();
    const fresh = look(app);
    const kept = look(app);
    expect(kept.found).toEqual(fresh.found);
    expect(functionsIn(fresh.found)).toEqual(['first_one']);
    expect(fresh.found.places.join()).toContain('first_one /src/first_one.c:10');
    // The build ID alone is read.
    expect(kept.reads).toBeLessThan(fresh.reads / 2);
    expect(readdirSync(app.own).map((name) => /[a-z]+$/.exec(name)?.[0])).toEqual([
      'lines',
      'symbols',
    ]);
  });

  it('kept names are not those of another program that was put in its place, or written over it', () => {
    const app = place();
    look(app);
    copyFileSync(second, app.app);
    expect(functionsIn(look(app).found)).toEqual(['other_one']);
    rmSync(app.app);
    copyFileSync(first, app.app);
    expect(functionsIn(look(app).found)).toEqual(['first_one']);
  });

  it('kept names are not those of a file of the same build ID, as anybody can make one', () => {
    const app = place();
    const genuine = look(app).found;
    const forged = readFileSync(first);
    for (let at = forged.indexOf('first_one'); at >= 0; at = forged.indexOf('first_one', at)) {
      forged.write('evil__one', at);
    }
    const other = { ...place(), home: app.home, own: app.own };
    writeFileSync(other.app, forged);
    expect(functionsIn(look(other).found)).toEqual(['evil__one']);
    expect(look(app).found).toEqual(genuine);
  });

  it('kept names count no more once the debug file of a stripped program is there, or gone again', () => {
    const app = place();
    const debugFile = join(app.folder, 'app.debug');
    run('objcopy', '--only-keep-debug', first, debugFile);
    run('objcopy', '--strip-all', `--add-gnu-debuglink=${debugFile}`, first, app.app);
    rmSync(debugFile);
    const stripped = look(app).found;
    expect(functionsIn(stripped)).toEqual([]);
    run('objcopy', '--only-keep-debug', first, debugFile);
    const whole = look(app).found;
    expect(functionsIn(whole)).toEqual(['first_one']);
    expect(look(app).found).toEqual(whole);
    rmSync(debugFile);
    expect(look(app).found).toEqual(stripped);
  });

  it('names of a file that has just changed are not kept: it may change once more within its time stamp', () => {
    const app = place();
    look(app, {});
    expect(readdirSync(app.own)).toEqual([]);
  });

  it('names of a damaged file are not kept, so that the damage is reported each time', () => {
    const app = place();
    run('objcopy', '--only-keep-debug', first, join(app.folder, 'whole'));
    const bytes = readFileSync(app.app);
    // The abbreviations of the only unit.
    const at = sectionOffset(app.app, '.debug_abbrev');
    bytes.fill(0xff, at, at + 8);
    writeFileSync(app.app, bytes);
    const fresh = look(app).found;
    expect(fresh.reported).not.toEqual([]);
    expect(look(app).found).toEqual(fresh);
    expect(readdirSync(app.own).filter((name) => name.endsWith('.lines'))).toEqual([]);
  });

  it('names are looked up anew where an entry is damaged, cut, of another version or deleted', () => {
    const app = place();
    const fresh = look(app).found;
    const entries = readdirSync(app.own).map((name) => join(app.own, name));
    const whole = entries.map((path) => readFileSync(path));
    const damages: ((path: string, bytes: Buffer) => void)[] = [
      (path) => writeFileSync(path, ''),
      (path) => writeFileSync(path, 'not ours'),
      (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.length >> 1)),
      (path) => appendFileSync(path, 'more'),
      (path, bytes) =>
        writeFileSync(
          path,
          bytes.map((byte, i) => (i === 100 ? byte ^ 1 : byte)),
        ),
      (path, bytes) => {
        const { found, key } = decodeFound(new Uint8Array(bytes))!;
        writeFileSync(path, encodeFound(found, key.replace('"[', '"[0')));
      },
      (path, bytes) => {
        const { found, key } = decodeFound(new Uint8Array(bytes))!;
        writeFileSync(path, encodeFound(found, key.slice(0, -1)));
      },
      (path) => rmSync(path),
    ];
    for (const damage of damages) {
      entries.forEach((path, i) => {
        damage(path, whole[i]);
      });
      const again = look(app);
      expect(again.found).toEqual(fresh);
      // And it is whole afterwards.
      const kept = look(app);
      expect(kept.found).toEqual(fresh);
      expect(kept.reads).toBeLessThan(again.reads);
    }
  });

  it('names are looked up where there is no folder to keep them in', () => {
    const app = place();
    const fresh = look(app).found;
    expect(look({ ...app, home: join(app.folder, 'absent/cache') }).found).toEqual(fresh);
  });
});

function run(command: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
}

/** Where a section begins in the file. */
function sectionOffset(path: string, name: string): number {
  const { stdout } = spawnSync('readelf', ['-SW', path], { encoding: 'utf8' });
  const line = stdout.split('\n').find((row) => row.includes(` ${name} `));
  return Number.parseInt(line?.split(name)[1].trim().split(/\s+/)[2] ?? '', 16);
}
