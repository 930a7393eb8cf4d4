// What the user gets to read, and the exit status, where something can't be done.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import {
  AS_NOBODY,
  canRecordAsNobody,
  canRunAsNobody,
  openDirectory,
  paranoidLevel,
} from '../helpers/nobody.ts';

const scratch = scratchDirectory();

describeLiveAsUser('without permission', () => {
  const workload = compileWorkload();
  const level = paranoidLevel();

  function record(...words: string[]) {
    const file = join(openDirectory(scratch, 'nobody'), 'perf.data');
    const command = ['record', '-o', file, ...words];
    return { file, outcome: perfTs(command, { under: AS_NOBODY }) };
  }

  const refused: [what: string, words: string[], needed: number][] = [
    ['a whole CPU', ['-a', '-e', 'cpu-clock', '--', 'true'], 0],
    ['an event of the kernel', ['-e', 'context-switches', '--', 'true'], 1],
  ];
  for (const [what, words, needed] of refused) {
    it.skipIf(!canRunAsNobody(workload) || level <= needed)(
      `a refusal to record ${what} names the level, the one needed and the command`,
      () => {
        const { outcome } = record(...words);
        expect(outcome.status).toBe(125);
        expect(outcome.stderr).toContain(`kernel.perf_event_paranoid is ${level}`);
        expect(outcome.stderr).toContain(`needs ${needed} or lower, or CAP_`);
        expect(outcome.stderr).toContain(`sysctl kernel.perf_event_paranoid=${needed}`);
      },
    );
  }

  it.skipIf(!canRunAsNobody(workload))("a refusal to attach names the user's rights", () => {
    const { outcome } = record('-e', 'cpu-clock:u', '-p', '1', '--duration', '0.1');
    expect(outcome.status).toBe(125);
    expect(outcome.stderr).toContain("another user's process needs root or CAP_PERFMON");
    expect(outcome.stderr).not.toContain('seccomp');
  });

  it.skipIf(!canRecordAsNobody(workload) || level < 2)(
    'user code is recorded without rights to kernel code, with a notice',
    () => {
      const { file, outcome } = record('-e', 'cpu-clock', '--', workload, 'burn', '1', '0.2');
      expect(outcome.status).toBe(0);
      expect(outcome.stderr).toContain('recording user space only (cpu-clock:u)');
      expect(outcome.stderr).toContain(`kernel.perf_event_paranoid is ${level}`);
      expect(infoOf(file).events[0]).toMatchObject({ name: 'cpu-clock:u' });
      const script = perfTs(['script', '--json', '--samples', file]).stdout.trim().split('\n');
      const addresses = script.map((line) => JSON.parse(line).ip as string);
      expect(addresses.length).toBeGreaterThan(0);
      expect(addresses.filter((ip) => ip.startsWith('0xffff'))).toEqual([]);
    },
  );
});

describeLiveAsUser('a command line that makes no sense', () => {
  it('an unknown event is shown in its text, with near names', () => {
    const { status, stderr } = perfTs(['record', '-e', 'cpu-clock,page-fault:u', '--', 'true']);
    expect(status).toBe(2);
    expect(stderr.split('\n').slice(0, 4)).toEqual([
      "perf-ts: unknown event 'page-fault'",
      '  cpu-clock,page-fault:u',
      '            ^',
      '  did you mean page-faults?',
    ]);
    expect(stderr).toContain('perf-ts list');
  });

  it.each([
    ['an unknown option', ['record', '--frq', '99', '--', 'true'], /unknown option '--frq'/],
    ['an unknown command', ['recrod'], /unknown command 'recrod'/],
    ['nothing to record', ['record'], /nothing to record/],
    ['both -F and -c', ['record', '-F', '9', '-c', '9', '--', 'true'], /-F and -c exclude/],
    ['a count that is none', ['record', '-c', 'many', '--', 'true'], /-c many/],
    ['a pid that is none', ['record', '-p', 'init'], /-p init/],
    ['an export format that is none', ['export', '--format', 'gif', '-o', '-'], /gif/],
  ])('(%s) is refused with status 2', (_what, words, message) => {
    const outcome = perfTs(words, { cwd: scratch });
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stdout).toBe('');
  });

  it.each([[[]], [['record']], [['report']], [['export']]])(
    '%j asks for help and ends with status 0',
    (words) => {
      const outcome = perfTs([...words, '--help']);
      expect(outcome).toMatchObject({ status: 0, stderr: '' });
      expect(outcome.stdout).toContain('Usage: perf-ts');
    },
  );
});

describeLiveAsUser('an input that is not a whole recording', () => {
  const workload = compileWorkload();
  const whole = join(scratch, 'whole.data');

  it.each([
    ['text', 'once upon a time\n'.repeat(100)],
    ['an empty file', ''],
    ['an ELF file', readFileSync(process.execPath).subarray(0, 10_000)],
  ])('(%s) is refused by every command with status 125', (_what, contents) => {
    const file = join(scratch, 'foreign.data');
    writeFileSync(file, contents);
    const exported = ['export', '--format', 'folded', '-o', '-'];
    for (const words of [['report'], ['info'], ['script'], ['periods'], exported]) {
      const outcome = perfTs([...words, file]);
      expect(outcome.status).toBe(125);
      expect(outcome.stderr).toMatch(/^perf-ts: .*not a perf\.data file/);
      expect(outcome.stdout).toBe('');
    }
  });

  it('a missing file is reported with its path', () => {
    const outcome = perfTs(['report', join(scratch, 'absent.data')]);
    expect(outcome.status).toBe(125);
    expect(outcome.stderr).toContain(join(scratch, 'absent.data'));
  });

  it('(cut short) is read up to the cut, with a warning, unless --strict forbids it', () => {
    const flags = ['-q', '-e', 'page-faults', '-c', '1', '-o', whole];
    expect(perfTs(['record', ...flags, '--', workload, 'pf', '20000']).status).toBe(0);
    const bytes = readFileSync(whole);
    const all = infoOf(whole).records.SAMPLE;
    const cut = join(scratch, 'cut.data');
    let last = 0;
    for (const share of [0.25, 0.5, 0.9]) {
      writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * share)));
      const report = perfTs(['report', cut]);
      expect(report.status).toBe(0);
      expect(report.stderr).toMatch(/cut off at byte/);
      const samples = infoOf(cut).records.SAMPLE;
      expect(samples).toBeGreaterThan(last);
      expect(samples).toBeGreaterThan(0.9 * share * all);
      last = samples;
      expect(perfTs(['report', '--strict', cut]).status).toBe(125);
    }
    expect(last).toBeLessThan(all);
  });
});
