// Every command block of the pages is run to the letter, page by page, in a reader's place, and its output compared with
// what the page shows and claims. What a block makes, the later blocks of its page find.

import { afterAll, expect, it } from 'vitest';
import { projectRoot } from '../helpers/cli.ts';
import {
  type Block,
  blocksOf,
  claimsOf,
  exampleOf,
  exemptionOf,
  interruptsOf,
  isOfUser,
  isShell,
  pagesWithCommands,
  statusesOf,
  typedOf,
} from '../helpers/command-blocks.ts';
import { differencesOf, hasFigures, isCompared, type Printed } from '../helpers/compare-output.ts';
import { describeLive } from '../helpers/live.ts';
import { canRecordAsNobody } from '../helpers/nobody.ts';
import { readersPlace, type } from '../helpers/readers-place.ts';

function printedBy(block: Block, outputs: readonly string[]): Printed[] {
  const claims = claimsOf(block);
  const isInterrupted = interruptsOf(block).length > 0;
  const isExample = exampleOf(block) !== null;
  return typedOf(block).map((typed, index) => ({
    typed: isExample ? { ...typed, shown: [] } : typed,
    claims: claims.flatMap(({ command, claim }) => (command === index ? [claim] : [])),
    output: outputs[index],
    isInterrupted,
  }));
}

describeLive('the commands of', () => {
  const pages = pagesWithCommands(projectRoot).map((page) => ({
    page,
    blocks: blocksOf(projectRoot, page).filter(
      (block) => isShell(block) && exemptionOf(block) === null,
    ),
  }));
  let figures = 0;

  it.for(pages.filter(({ blocks }) => blocks.length > 0))('$page', async ({ blocks }, { skip }) => {
    if (blocks.some(isOfUser) && !canRecordAsNobody('/bin/true'))
      return skip('an ordinary user may not record here: kernel.perf_event_paranoid');
    const { folder, env } = readersPlace();
    for (const block of blocks) {
      const { statuses, outputs, output } = await type(block, folder, env);
      const place = `${block.page}:${block.line}\n${block.text}\n--- printed\n${output}`;
      const expected = statusesOf(block);
      expect(statuses.length, place).toBe(expected.length);
      for (const [index, status] of statuses.entries())
        expect(expected[index], place).toContain(status);
      const printed = printedBy(block, outputs).filter(
        (_each, index) => statuses[index] === expected[index][0],
      );
      expect(printed.flatMap(differencesOf), place).toEqual([]);
      const uncompared = printed.filter((each) => !isCompared(each));
      expect(
        uncompared.map(({ typed }) => typed.command),
        `not compared: ${place}`,
      ).toEqual([]);
      figures += printed.filter(hasFigures).length;
    }
  });

  afterAll(() => {
    console.log(`${figures} commands of the pages print figures; all of them are compared`);
  });
});
