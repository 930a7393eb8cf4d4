// Stacks where nobody asked for them: of Node by frame pointers, of its waits unwound; of other programs none.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { record } from '../../src/index.ts';
import { shortName } from '../../src/profile/short-name.ts';
import type { Profile } from '../../src/profile/types.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { AS_NOBODY, canRecordAsNobody, openDirectory, paranoidLevel } from '../helpers/nobody.ts';

const scratch = scratchDirectory();
const isRoot = process.geteuid?.() === 0;

const PROGRAM = `
const { execFileSync } = require('node:child_process');
function callsSpin() { spin(process.cpuUsage().user + 4e5); return 1; }
function spin(until) { while (process.cpuUsage().user < until) for (let i = 0; i < 1000; i++) JSON.parse('[1,2,3]'); }
function waitsForChild() { execFileSync('sleep', ['0.3']); return 1; }
callsSpin();
waitsForChild();
`;

function programIn(folder: string): string {
  const program = join(folder, 'app.cjs');
  writeFileSync(program, PROGRAM);
  return program;
}

/** The summed periods of the samples of `event` whose stacks have all these functions, the inner ones first. */
function weightBelow(
  { samples, stacks, frames, funcs, strings }: Profile,
  event: number,
  names: readonly string[],
) {
  let weight = 0;
  for (let row = 0; row < samples.length; row++) {
    if (samples.event[row] !== event) continue;
    let wanted = 0;
    for (let stack = samples.stack[row]; stack >= 0; stack = stacks.prefix[stack]) {
      const name = shortName(strings[funcs.name[frames.func[stacks.frame[stack]]]]);
      if (name.startsWith(names[wanted] ?? '\0')) wanted++;
    }
    if (wanted === names.length) weight += samples.periodEvents[row];
  }
  return weight;
}

/** Functions of JavaScript below their callers in the stacks of a recording. */
async function callersOf(file: string): Promise<number> {
  const { profile } = await openProfile(file);
  return weightBelow(profile, 0, ['spin', 'callsSpin']);
}

describeLiveAsUser('stacks that nobody asked for', () => {
  it('stacks of a Node program have the callers, in the command and in the library', async () => {
    const program = programIn(scratch);
    const [byCommand, byLibrary] = ['command', 'library'].map((name) =>
      join(scratch, `${name}.data`),
    );
    const outcome = perfTs(['record', '-o', byCommand, '--', process.execPath, program]);
    expect(outcome.status).toBe(0);
    expect(outcome.stderr).not.toContain('no call stacks');
    const recording = await record({ command: [process.execPath, program], output: byLibrary });
    expect(recording.hasStacks).toBe(true);
    expect(await callersOf(byCommand)).toBeGreaterThan(0);
    expect(await callersOf(byLibrary)).toBeGreaterThan(0);
    expect(recording.onCpuMs).toBeGreaterThan(0);
  });

  it.skipIf(!isRoot || !canRecordAsNobody(process.execPath))(
    'stacks of a Node program have the callers for an ordinary user, too',
    async () => {
      const folder = openDirectory(scratch, 'nobody');
      const file = join(folder, 'perf.data');
      const words = ['record', '-o', file, '--', process.execPath, programIn(folder)];
      const outcome = perfTs(words, { under: AS_NOBODY, cwd: folder });
      expect(outcome.status).toBe(0);
      expect(await callersOf(file)).toBeGreaterThan(0);
    },
  );

  it('stacks of a Node program are left out by --no-call-graph', () => {
    const file = join(scratch, 'without.data');
    const words = ['record', '--no-call-graph', '-o', file, '--', process.execPath, '-e', '0'];
    const { stderr } = perfTs(words);
    expect(infoOf(file).events[0].sampleType).not.toContain('CALLCHAIN');
    expect(stderr).not.toContain('no call stacks');
  });

  it('stacks of another program are not recorded, and one of the last lines reports that', async () => {
    const file = join(scratch, 'other.data');
    const command = [compileWorkload(), 'burn', '1', '0.1'];
    const { stderr } = perfTs(['record', '-o', file, '--', ...command]);
    expect(stderr.match(/no call stacks were recorded/g)).toHaveLength(1);
    expect(infoOf(file).events[0].sampleType).not.toContain('CALLCHAIN');
    const asked = perfTs(['record', '-g', '-o', file, '--', ...command]);
    expect(asked.stderr).not.toContain('no call stacks');
    const recording = await record({ command, output: file });
    expect(recording.hasStacks).toBe(false);
  });

  it('stacks of a process that runs Node are recorded from outside', () => {
    const node = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: 'ignore',
    });
    try {
      const target = ['-p', `${node.pid}`];
      const plan = perfTs(['record', '--dry-run', ...target]);
      expect(plan.stderr).toMatch(/^stacks: fp(?:,\d+)?, since the target runs JavaScript/m);
      const without = perfTs(['record', '--dry-run', '--no-call-graph', ...target]);
      expect(without.stderr).toMatch(/^stacks: none$/m);
    } finally {
      node.kill();
    }
  });

  it('a program that waits is told from one that runs', () => {
    const file = join(scratch, 'waits.data');
    const idle = ['-e', 'setTimeout(() => {}, 3000)'];
    const { stderr } = perfTs(['record', '-o', file, '--', process.execPath, ...idle]);
    // Whether the CPUs were idle meanwhile, and so what it waited for, is the machine's.
    expect(stderr).toMatch(/on a CPU for \d+% of the time/);
  });

  it('a command that runs on behind its recording is waited for in words', async () => {
    const notices: string[] = [];
    const output = join(scratch, 'late.data');
    await record({
      ...{ command: ['sleep', '1'], durationMs: 100, output },
      onNotice: (notice) => notices.push(notice),
    });
    expect(notices.join('\n')).toMatch(/waiting for the command \(process \d+\) to end/);
  });

  it.skipIf(!isRoot && paranoidLevel() > 1)(
    'a wait for a child process is below the function that waits',
    async () => {
      const file = join(scratch, 'off-cpu.data');
      const program = programIn(scratch);
      const words = ['record', '--off-cpu', '-o', file, '--', process.execPath, program];
      expect(perfTs(words).status).toBe(0);
      const { profile } = await openProfile(file);
      const event = profile.events.findIndex(({ name }) => name === 'off-cpu');
      // The child sleeps for so long.
      expect(weightBelow(profile, event, ['waitsForChild'])).toBeGreaterThan(300e6);
      // No dumps are left, and the samples of what ran have had none.
      for (const { sampleType } of infoOf(file).events)
        expect(sampleType).not.toContain('STACK_USER');
    },
  );
});
