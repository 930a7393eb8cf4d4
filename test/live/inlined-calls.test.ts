// Recordings of a program with inlined calls: their frames and lines in every output.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { checkProfile } from '../helpers/check-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileC } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const source = join(dirname(fileURLToPath(import.meta.url)), '../helpers/inlined-calls.c');

/** Line of the program with this comment. */
function lineOf(comment: string): number {
  const lines = readFileSync(source, 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(comment)) + 1;
}

const PLACES = [
  ['leaf', true, lineOf('the hot line')],
  ['mid', true, lineOf('the call of leaf')],
  ['outer', false, lineOf('the call of mid')],
] as const;

describeLive('inlined calls', () => {
  const file = join(scratch, 'stacks.data');
  const flat = join(scratch, 'flat.data');

  beforeAll(() => {
    const program = compileC(source, ['-O2', '-g', '-fno-omit-frame-pointer']);
    const record = (output: string, ...flags: string[]) =>
      perfTs([
        ...['record', '-q', '-e', 'cpu-clock:u', '-F', '2000', ...flags, '-o', output],
        ...['--', program, '60000'],
      ]);
    expect(record(file, '-g')).toMatchObject({ status: 0 });
    expect(record(flat)).toMatchObject({ status: 0 });
  });

  /** The three innermost frames of most samples. */
  function callchains(): object[][] {
    const { stdout } = perfTs(['script', '--json', file]);
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const samples = records.filter(({ type }) => type === 'SAMPLE');
    expect(samples.length).toBeGreaterThan(30);
    return samples.map(({ callchain }) => callchain);
  }

  it('inlined calls are frames of script, with file and line', () => {
    const expected = PLACES.map(([symbol, inlined, line]) => ({
      ...{ symbol, inlined, line },
      file: expect.stringMatching(/inlined-calls\.c$/),
    }));
    const same = callchains().filter((chain) => {
      try {
        expect(chain.slice(0, 3)).toMatchObject(expected);
        return true;
      } catch {
        return false;
      }
    });
    expect(same.length).toBeGreaterThan(0.8 * callchains().length);
    const { stdout } = perfTs(['script', '-F', 'ip,sym,srcline', file]);
    const lines = PLACES.map(([symbol, inlined, line]) => {
      const mark = inlined ? ' \\(inlined\\)' : '';
      return `\\t +[0-9a-f]+ ${symbol}${mark}\\n +inlined-calls\\.c:${line}\\n`;
    });
    expect(stdout).toMatch(new RegExp(lines.join('')));
  });

  it('inlined calls are marked in the tree, and absent with --no-inline', () => {
    const tree = perfTs(['report', '--tree', file]).stdout;
    expect(tree).toMatch(/─ outer\n.*─ mid \(inlined\)\n.*─ leaf \(inlined\)\n/);
    const without = perfTs(['report', '--tree', '--no-inline', file]).stdout;
    expect(without).toContain('─ outer\n');
    // The first line has the command's name, which has the word, too.
    expect(without.replace(/^#.*$/gm, '')).not.toMatch(/mid|leaf|inlined/);
  });

  it('inlined calls have rows by source line, also without stacks', () => {
    const [, , hot] = PLACES[0];
    for (const recording of [file, flat]) {
      const { stdout } = perfTs(['report', '-s', 'srcline', '--json', recording]);
      const { rows } = JSON.parse(stdout).events[0];
      expect(rows[0]).toMatchObject({ srcline: `inlined-calls.c:${hot}` });
      expect(rows[0].selfShare).toBeGreaterThan(0.8);
    }
    // As in perf, such samples count for the function that exists.
    expect(perfTs(['report', flat]).stdout).not.toContain('leaf');
  });

  it('inlined calls are lines of a pprof location, and Firefox frames', async () => {
    const opened = await openProfile(file);
    checkProfile(opened.profile);
    const { frames, strings, funcs } = opened.profile;
    const nameOf = (frame: number) => strings[funcs.name[frames.func[frame]]];
    const inlined = [...frames.inlineDepth.keys()].filter((frame) => nameOf(frame) === 'leaf');
    expect(new Set(inlined.map((frame) => frames.inlineDepth[frame]))).toEqual(new Set([2]));
    const shared = JSON.parse(opened.export('firefox')).shared;
    const [, , hot] = PLACES[0];
    const leaf = shared.stringArray.indexOf('leaf');
    const rows = [...shared.frameTable.func.keys()].filter(
      (row) => shared.funcTable.name[shared.frameTable.func[row]] === leaf,
    );
    expect(rows.map((row) => shared.frameTable.line[row])).toContain(hot);
    const sources = shared.sources.filename.map((name: number) => shared.stringArray[name]);
    const [func] = rows.map((row) => shared.frameTable.func[row]);
    expect(sources[shared.funcTable.source[func]]).toMatch(/inlined-calls\.c$/);
  });
});
