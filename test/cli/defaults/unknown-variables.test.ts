import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { declareProgram } from '../../../src/cli/declare-program.ts';
import {
  INTERNAL,
  SETTINGS,
  unknownVariables,
} from '../../../src/cli/defaults/unknown-variables.ts';

const root = resolve(import.meta.dirname, '../../..');
const { commands } = declareProgram();
const unknown = (...names: string[]) =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, '1'])), commands);

describe('variables with the prefix of perf-ts', () => {
  it('variables that no command reads are reported, with the nearest name', () => {
    expect(unknown('PERF_TS_FREQUENCY')).toEqual([
      expect.stringMatching(/^PERF_TS_FREQUENCY is set, .*\(did you mean PERF_TS_FREQ\?\)/),
    ]);
    expect(unknown('PERF_TS_CALLGRAPH')[0]).toContain('did you mean PERF_TS_CALL_GRAPH?');
    expect(unknown('PERF_TS_NOCACHE')[0]).toContain('did you mean PERF_TS_NO_CACHE?');
    expect(unknown('PERF_TS_XYZZY')[0]).not.toContain('did you mean');
  });

  it('variables are unknown where they name a command that has no such default', () => {
    expect(unknown('PERF_TS_RECORD_FREQ', 'PERF_TS_TOP_FREQ')).toEqual([]);
    expect(unknown('PERF_TS_REPORT_FREQ')).toHaveLength(1);
  });

  it('variables are not reported where a recording sets them for its programs, nor when empty', () => {
    expect(unknown('PERF_TS_SESSION')).toEqual([]);
    expect(unknown('PERF_TSX', 'MY_PERF_TS_FREQUENCY')).toEqual([]);
    expect(unknownVariables({ PERF_TS_FREQUENCY: '' }, commands)).toEqual([]);
  });

  it('names of variables cannot move the cursor', () => {
    expect(unknown('PERF_TS_\u001b[2J')[0]).not.toContain('\u001b');
  });
});

/** The names in files below `folder` that stand after `PERF_TS_`. */
function namesBelow(folder: string, files: RegExp, use: RegExp): Set<string> {
  const names = new Set<string>();
  for (const each of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    if (!files.test(each)) continue;
    for (const [, name] of readFileSync(join(root, folder, each), 'utf8').matchAll(use)) {
      names.add(name);
    }
  }
  return names;
}

describe('the list of known variables', () => {
  const JAVASCRIPT = /\.(?:c|m)?(?:ts|js)$/;

  it('the list of known variables has every one that the program names', () => {
    const inSource = namesBelow('src', JAVASCRIPT, /PERF_TS_([A-Z][A-Z_]+)/g);
    expect(inSource).toContain('NO_CACHE');
    const inAddon = namesBelow('native/core', /\.cc$/, /"PERF_TS_([A-Z_]+)"/g);
    expect([...inAddon].sort()).toEqual(['DRAIN_HOLD_MS', 'ZSTD_HOLD_MS']);
    for (const name of [...inSource, ...inAddon]) expect(unknown(`PERF_TS_${name}`)).toEqual([]);
  });

  it('the list of known variables has every setting that docs/reference/environment.md explains, and no other', () => {
    const page = readFileSync(join(root, 'docs/reference/environment.md'), 'utf8');
    const explained = [...page.matchAll(/^\| `PERF_TS_([A-Z_]+)`/gm)].map(([, name]) => name);
    const own = INTERNAL.filter((name) => !name.endsWith('_HOLD_MS'));
    expect(explained.sort()).toEqual([...SETTINGS, ...own].sort());
  });

  it('the list of known variables has those that tests and benchmarks read', () => {
    const use = /process\.env\.PERF_TS_([A-Z_]+)/g;
    const read = [...namesBelow('test', JAVASCRIPT, use), ...namesBelow('bench', JAVASCRIPT, use)];
    expect(read).toContain('RESULTS');
    for (const name of read) expect(unknown(`PERF_TS_${name}`)).toEqual([]);
  });
});
