// Two recorders of the same page faults. Both events overflow at each of them, and the kernel writes
// the ids of one into the samples of the other (see EventLookup).

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { CLI, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const FAULTS = 3000;
const scratch = scratchDirectory();

describeLive('two recorders at the same events', () => {
  const workload = compileWorkload();

  it('two recorders at once each have all their samples', async () => {
    const files = ['outer', 'inner'].map((which) => join(scratch, `${which}.data`));
    const [outer, inner] = files.map((file) => {
      return ['record', '-q', '-e', 'page-faults', '-c', '1', '-o', file, '--'];
    }) as [string[], string[]];
    const program = [workload, 'pf', String(FAULTS)];
    const run = perfTs([...outer, process.execPath, CLI, ...inner, ...program]);
    expect(run).toMatchObject({ status: 0 });

    for (const file of files) {
      const { records, loss } = infoOf(file);
      expect(loss.best).toBe(0);
      const opened = await openProfile(file, { symbols: false });
      const [ledger] = opened.ledgers();
      expect(ledger).toMatchObject({ samples: records.SAMPLE, coverage: 1, unaccounted: 0 });
      const { threads, samples } = opened.profile;
      const own = threads.findIndex(({ comm }) => comm.startsWith('workload'));
      const count = [...samples.thread].filter((thread) => thread === own).length;
      expect(count).toBeGreaterThanOrEqual(FAULTS);
      expect(ledger.samples).toBe(ledger.eventsCounted);
      const codes = opened.diagnostics.entries().map(({ code }) => code);
      expect(codes).not.toContain('sample-of-no-event');
    }
  });
});
