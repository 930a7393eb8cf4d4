// The outputs that pages show of a Node program are those of today: the same messages, columns and names of
// functions, whatever the numbers.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { infoOf, projectRoot } from '../helpers/cli.ts';
import { type Block, blocksOf, commandsOf, isShell } from '../helpers/command-blocks.ts';
import { describeLive } from '../helpers/live.ts';
import { readersPlace, type } from '../helpers/readers-place.ts';

/** Rows below it may have been chance on the day of the recording. */
const REPORTED_SHARE = 10;

/** The lines that a page shows below each command of a block. */
function shownBy(block: Block): string[][] {
  const lines = block.text.split('\n');
  const starts = commandsOf(block).map((command) => lines.indexOf(`$ ${command.split('\n')[0]}`));
  return starts.map((start, index) =>
    lines
      .slice(start + 1, starts[index + 1] ?? lines.length)
      .filter((line) => line !== '' && line !== '…'),
  );
}

/** A line whatever its numbers are and however wide its columns. */
const shapeOf = (line: string): string =>
  line
    .replace(/\d+(?:[ .]\d+)*/g, 'N')
    .replace(/N [kM]?B\b/g, 'N B')
    .replace(/\s+/g, ' ')
    .trim();

const isRow = (line: string): boolean => /^ *[\d.]+%/.test(line);
const nameOf = (row: string): string => row.trim().split(/ {2,}/).at(-1) ?? '';

it('a line has its shape whatever its numbers', () => {
  expect(shapeOf('perf-ts: 6 228 samples of cpu-clock, lost 0; 2.4 MB in perf.data')).toBe(
    shapeOf('perf-ts: 928 samples of cpu-clock, lost 12; 900 kB in perf.data'),
  );
  expect(shapeOf('# frames: JavaScript')).not.toBe(shapeOf('# frames: TypeScript'));
});

describeLive('the outputs of a Node program in', () => {
  const blocks = ['docs/how-to/profile-a-node-server.md'].map((page) => {
    const found = blocksOf(projectRoot, page).find(
      (block) => isShell(block) && block.text.includes('typescript-server/server.ts'),
    );
    if (found === undefined) throw new Error(`${page} shows no TypeScript server`);
    return [page, found] as const;
  });

  it.each(blocks)('%s are those of today', async (_page, block) => {
    const { folder, env } = readersPlace();
    const shown = shownBy(block);
    const { outputs, output } = await type(block, folder, env);
    // The pages show a machine without hardware counters.
    const isOfPages = infoOf(join(folder, 'perf.data')).events[0].name === 'cpu-clock';
    for (const [index, lines] of shown.entries()) {
      const today = outputs[index].split('\n').map(shapeOf);
      const messages = lines.filter((line) => !isRow(line));
      for (const line of messages.filter((each) => isOfPages || !each.includes('cpu-clock')))
        expect(today, output).toContain(shapeOf(line));
    }
    const reports = commandsOf(block).slice(1);
    const whole = reports.map((command) => `${command.replace(/ -n \d+/, '')} -n 0`);
    const rows = await type({ ...block, language: 'sh', text: whole.join('\n') }, folder, env);
    const names = rows.output.split('\n').filter(isRow).map(nameOf);
    const expected = shown
      .flat()
      .filter((line) => isRow(line) && Number.parseFloat(line) >= REPORTED_SHARE);
    expect(expected.length).toBeGreaterThan(2);
    for (const row of expected) expect(names).toContain(nameOf(row));
  });
});
