// A recorder that does not get to its rings: what does not fit is lost, and every loss is counted.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accounted, infoOf, perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, minorFaultsOf, until, usableCpus } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
/**
 * Page faults beside the loop vary from run to run, by how much of a program's file the kernel maps at
 * a time: some of 600 000, and far fewer than the ring's share of a loss.
 */
const SLACK = 20;
const FAULTS = 600_000;
/** Far more than the rings hold: 128 pages are 8 192 samples. */
const HELD_FAULTS = 150_000;
const SMALL_RING = ['-e', 'page-faults', '-c', '1', '-m', '128'];

describeLive('a recorder that is stopped for a while', () => {
  const workload = compileWorkload();
  const [cpu, otherCpu] = usableCpus();
  /** A LOST record is written with the next record that fits: none where the target has left the CPU. */
  const pinned = ['taskset', '-c', `${cpu}`];

  /** Records FAULTS page faults; `hold` runs while the recorder is stopped. */
  async function recordHeld(
    file: string,
    hold: (target: number) => Promise<void>,
  ): Promise<string> {
    const command = [...pinned, workload, 'pf', String(FAULTS)];
    const running = startPerfTs(['record', ...SMALL_RING, '-o', file, '--', ...command]);
    await until(() => childrenOf(running.pid).length === 1);
    const target = childrenOf(running.pid)[0];
    await until(() => minorFaultsOf(target) > 20_000);
    running.child.kill('SIGSTOP');
    await hold(target);
    running.child.kill('SIGCONT');
    const outcome = await running.ended;
    expect(outcome.status).toBe(0);
    return outcome.stderr;
  }

  /** Waits until the target has made `count` page faults more. */
  async function moreFaults(target: number, count: number): Promise<void> {
    const goal = minorFaultsOf(target) + count;
    await until(() => minorFaultsOf(target) >= goal);
  }

  /** Page faults of a whole run beside its loop. */
  function besideTheLoop(): number {
    const file = join(scratch, 'once.data');
    const command = [...pinned, workload, 'pf', '1'];
    expect(perfTs(['record', '-q', ...SMALL_RING, '-o', file, '--', ...command]).status).toBe(0);
    return accounted(file) - 1;
  }

  it('accounts for every event, in the file and in its closing line', async () => {
    const file = join(scratch, 'held.data');
    const stderr = await recordHeld(file, (target) => moreFaults(target, HELD_FAULTS));
    const info = infoOf(file);
    expect(info.loss.best).toBeGreaterThan(HELD_FAULTS / 2);
    expect(info.records.LOST).toBeGreaterThanOrEqual(1);
    expect(Math.abs(accounted(file) - besideTheLoop() - FAULTS)).toBeLessThanOrEqual(SLACK);
    const lost = /lost ([\d ]+) \(([\d.]+)%\)/.exec(stderr);
    expect(Number(lost?.[1]?.replaceAll(' ', ''))).toBe(info.loss.best);
  });

  it.skipIf(otherCpu === undefined)(
    'the ledger knows by the counters what was lost on a CPU that the target has left',
    async () => {
      const file = join(scratch, 'moved.data');
      await recordHeld(file, async (target) => {
        await moreFaults(target, HELD_FAULTS);
        expect(spawnSync('taskset', ['-cp', `${otherCpu}`, `${target}`]).status).toBe(0);
        await moreFaults(target, HELD_FAULTS / 10);
      });
      const { loss } = infoOf(file);
      expect(Math.abs(accounted(file) - besideTheLoop() - FAULTS)).toBeLessThanOrEqual(SLACK);
      // The ring of the CPU that the target left got no record any more, and so no LOST either.
      expect(loss.best).toBe(loss.lostSamples);
      expect(loss.lostRecords).toBeLessThan(loss.lostSamples - HELD_FAULTS / 2);
    },
  );
});
