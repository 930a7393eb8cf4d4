// Every command block of the pages is run to the letter, page by page, in a reader's place. What a block makes, the
// later blocks of its page find.

import { expect, it } from 'vitest';
import { projectRoot } from '../helpers/cli.ts';
import {
  blocksOf,
  exemptionOf,
  isShell,
  pagesWithCommands,
  statusesOf,
} from '../helpers/command-blocks.ts';
import { describeLive } from '../helpers/live.ts';
import { readersPlace, type } from '../helpers/readers-place.ts';

describeLive('the commands of', () => {
  const pages = pagesWithCommands(projectRoot).map((page) => ({
    page,
    blocks: blocksOf(projectRoot, page).filter(
      (block) => isShell(block) && exemptionOf(block) === null,
    ),
  }));

  it.each(pages.filter(({ blocks }) => blocks.length > 0))('$page', async ({ blocks }) => {
    const { folder, env } = readersPlace();
    for (const block of blocks) {
      const { statuses, output } = await type(block, folder, env);
      const place = `${block.page}:${block.line}\n${block.text}\n--- printed\n${output}`;
      const expected = statusesOf(block);
      expect(statuses.length, place).toBe(expected.length);
      for (const [index, status] of statuses.entries())
        expect(expected[index], place).toContain(status);
    }
  });
});
