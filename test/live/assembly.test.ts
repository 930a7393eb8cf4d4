// The machine code of what was recorded: of a compiled program, and of code that a JIT made.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FuncIndex } from '../../src/profile/types.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileJitReuse, compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { removeProgramMaps } from '../helpers/program-maps.ts';

const scratch = scratchDirectory();
const PHASES = 3;

function funcsOfDso({ profile }: OpenedProfile, isMeant: (kind: string, name: string) => boolean) {
  const { funcs, dsos } = profile;
  return Array.from({ length: funcs.length }, (_, func) => func as FuncIndex).filter((func) => {
    const dso = dsos[funcs.dso[func]];
    return dso !== undefined && isMeant(dso.kind, dso.name);
  });
}

describeLive('the assembly of a recording', () => {
  it("assembly has each function's self weight at its instructions", async () => {
    const program = compileWorkload();
    const path = join(scratch, 'program.data');
    const { status, stderr } = perfTs([
      'record',
      '-e',
      'cpu-clock:u',
      '-F',
      '4000',
      '--call-graph',
      'fp',
      '-o',
      path,
      '--',
      program,
      'burn',
      '1',
      '0.3',
    ]);
    expect(status, stderr).toBe(0);
    const opened = await openProfile(path);
    const selfOf = new Map(
      opened.report({ weight: 'samples' }).bySymbol.map((row) => [row.func, row.self]),
    );
    const name = program.slice(program.lastIndexOf('/') + 1);
    const funcs = funcsOfDso(opened, (kind, dso) => kind === 'user' && dso === name);
    expect(funcs.length).toBeGreaterThan(2);
    for (const func of funcs) {
      const { parts, missing } = await opened.disassemble(func);
      expect(missing).toStrictEqual([]);
      const part = parts[0];
      const at = opened.weighInstructions(func, part, { weight: 'samples' });
      const self = at.self.reduce((sum, value) => sum + value, 0);
      expect(self).toBe(selfOf.get(func) ?? 0);
      expect(at.selfElsewhere).toBe(0);
      // What only has callees' weight is a call.
      part.text.forEach((text, row) => {
        if (at.total[row] > at.self[row] + at.inlined[row]) expect(text).toMatch(/^(call|bl)/);
      });
    }
  });

  it.each([
    ['dump', PHASES],
    ['map', 0],
  ])('assembly of a JIT that writes a %s has the code of %i functions', async (mode, count) => {
    const path = join(scratch, `${mode}.data`);
    const { status, stderr } = perfTs(
      [
        'record',
        '-k',
        'mono',
        '-F',
        '4000',
        '-o',
        path,
        '--',
        compileJitReuse(),
        mode,
        String(PHASES),
        '40000000',
      ],
      { cwd: scratch },
    );
    expect(status, stderr).toBe(0);
    removeProgramMaps(path);
    const opened = await openProfile(path);
    const funcs = funcsOfDso(opened, (kind) => kind === 'jit');
    // A map has no times: code that came and went between two looks at it is not told from what followed.
    if (mode === 'dump') expect(funcs).toHaveLength(PHASES);
    else expect([1, 2, PHASES]).toContain(funcs.length);
    const found = [];
    for (const func of funcs) found.push(await opened.disassemble(func));
    expect(found.flatMap(({ parts }) => parts)).toHaveLength(count);
    for (const { parts, missing } of found) {
      if (mode === 'map') {
        expect(missing.map(({ reason }) => reason)).toStrictEqual([
          expect.stringContaining('names of its code, not the code'),
        ]);
        continue;
      }
      const [part] = parts;
      expect(part).toMatchObject({ extent: 'jitdump', gaps: [] });
      const text = part.text.join('; ');
      if (process.arch === 'x64') expect(text).toMatch(/^dec rdi; jne 0x[0-9a-f]+; ret$/);
      else expect(text).toMatch(/^subs x0, x0, #1; b\.ne #0x[0-9a-f]+; ret$/);
      expect(part.target).toStrictEqual([-1, 0, -1]);
    }
    if (mode === 'dump') {
      for (const name of readdirSync(scratch))
        if (name.endsWith('.dump')) rmSync(join(scratch, name));
      const { missing, parts } = await (await openProfile(path)).disassemble(funcs[0]);
      expect(parts).toStrictEqual([]);
      expect(missing[0]?.reason).toMatch(/jitdump|perf map|-perf-prof/);
      // What was opened before remembers which dump it was.
      expect((await opened.disassemble(funcs[0])).missing[0]?.reason).toMatch(
        /\.dump: a symbolic link or gone\.$/,
      );
    }
  });
});
