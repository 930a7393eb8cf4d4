import { resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { declareProgram } from '../../../src/cli/declare-program.ts';
import { wantsColour } from '../../../src/cli/shared/colour.ts';
import { notify } from '../../../src/cli/shared/failure.ts';
import { beginRun, thisRun } from '../../../src/cli/shared/run.ts';
import * as stdout from '../../../src/cli/shared/stdout.ts';

vi.mock('../../../src/cli/shared/stdout.ts', { spy: true });

const path = resolve(import.meta.dirname, '../../read/fixtures/arm64-group.data');

test('-q and --color of one run of the command do not hold for the next one in the same process', async () => {
  vi.spyOn(stdout, 'writeOut').mockImplementation(() => {});
  const write = vi.spyOn(stdout, 'writeError').mockImplementation(() => {});
  const run = async (...words: string[]) => {
    beginRun();
    await declareProgram((bare) => bare.exitOverride()).parseAsync(words, { from: 'user' });
  };
  await run('buildid-list', '-q', '--color', 'always', path);
  notify('first');
  expect(write).not.toHaveBeenCalled();
  expect(wantsColour()).toBe(true);
  thisRun().beforeOutput = () => {
    throw new Error('the line of an earlier run is drawn');
  };
  await run('buildid-list', path);
  notify('second');
  expect(write).toHaveBeenCalledWith('second\n');
  expect(thisRun().colour).toBe('auto');
});
