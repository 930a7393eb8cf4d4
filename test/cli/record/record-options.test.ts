import { describe, expect, it } from 'vitest';
import { atCommand, UsageError } from '../../../src/base/errors.ts';
import { recordingAsked } from '../../../src/cli/record/asked-recording.ts';
import { type GivenFlags, readFlags } from '../../../src/options/read-flags.ts';
import { RECORD } from '../../../src/options/record.ts';

/** The options of the recording that a command line asks for. */
function options(flags: GivenFlags, ...command: string[]) {
  return recordingAsked(command, readFlags(RECORD, { inherit: true, ...flags }));
}

describe('the command line of record', () => {
  it('an empty command line of record sets no options', () => {
    expect(options({})).toEqual({});
  });

  it.each<[string, GivenFlags, object]>([
    ['-p 1,22', { pid: '1,22' }, { pids: [1, 22] }],
    ['-t 5', { tid: '5' }, { tids: [5] }],
    ['-a', { allCpus: true }, { systemWide: true }],
    ['-C 0-2,5', { cpu: '0-2,5' }, { cpus: [0, 1, 2, 5], systemWide: true }],
    ['-C 1 -p 7', { cpu: '1', pid: '7' }, { cpus: [1], pids: [7] }],
    ['-C 1 -t 7', { cpu: '1', tid: '7' }, { cpus: [1], tids: [7] }],
    ['-e a -e b,c', { event: ['a', 'b,c'] }, { events: ['a', 'b,c'] }],
    ['-F 30000', { freq: '30000' }, { freq: 30_000 }],
    ['-F max', { freq: 'max' }, { freq: 'max' }],
    ['-c 1', { count: '1' }, { count: 1 }],
    ['-F 30k', { freq: '30k' }, { freq: 30_000 }],
    ['--strict-freq', { strictFreq: true }, { strictFreq: true }],
    ['-g', { g: true }, { callGraph: 'fp' }],
    ['--call-graph fp', { callGraph: 'fp' }, { callGraph: 'fp' }],
    ['--call-graph dwarf', { callGraph: 'dwarf' }, { callGraph: 'dwarf' }],
    ['--call-graph dwarf,4096', { callGraph: 'dwarf,4096' }, { callGraph: 'dwarf,4096' }],
    ['--call-graph auto', { callGraph: 'auto' }, { callGraph: 'auto' }],
    ['--call-graph auto,2000', { callGraph: 'auto,2000' }, { callGraph: 'auto,2000' }],
    ['--call-graph dwarf,100', { callGraph: 'dwarf,100' }, { callGraph: 'dwarf,104' }],
    ['-g --call-graph none', { g: true, callGraph: 'none' }, { callGraph: 'none' }],
    ['--counts', { counts: true }, { counts: true }],
    ['-i', { inherit: false }, { inherit: false }],
    ['-o -', { output: '-' }, { output: '-' }],
    ['--max-size 10M', { maxSize: '10M' }, { maxBytes: 10 * 2 ** 20 }],
    ['--max-size 123', { maxSize: '123' }, { maxBytes: 123 }],
    ['--max-size 2g', { maxSize: '2g' }, { maxBytes: 2 ** 31 }],
    ['--duration 1.5', { duration: '1.5' }, { durationMs: 1500 }],
    ['--duration 2m', { duration: '2m' }, { durationMs: 120_000 }],
    ['-D 250', { delay: '250' }, { delayMs: 250 }],
    ['-D 1s', { delay: '1s' }, { delayMs: 1000 }],
    ['-D -1', { delay: '-1' }, { startDisabled: true }],
    ['--switch-output', { switchOutput: true }, { switchOutput: 'asked' }],
    ['--switch-output=5m', { switchOutput: '5m' }, { switchOutput: { ms: 300_000 } }],
    ['--switch-output=5M', { switchOutput: '5M' }, { switchOutput: { bytes: 5 * 2 ** 20 } }],
    ['-m 512K', { mmapPages: '512K' }, { ringPages: { bytes: 512 * 2 ** 10 } }],
    ['-k CLOCK_MONOTONIC_RAW', { clockid: 'CLOCK_MONOTONIC_RAW' }, { clock: 'monotonic_raw' }],
    ['-k mono', { clockid: 'mono' }, { clock: 'monotonic' }],
    ['-k boot', { clockid: 'boot' }, { clock: 'boottime' }],
    ['-k tai', { clockid: 'tai' }, { clock: 'tai' }],
    ['--user nobody', { user: 'nobody' }, { user: 'nobody' }],
    ['--off-cpu', { offCpu: true }, { offCpu: true }],
    ['--off-cpu=only', { offCpu: 'only' }, { offCpu: 'only' }],
    ['--all-user', { allUser: true }, { only: 'user' }],
    ['--switch-events', { switchEvents: true }, { switches: true }],
    ['-G /a', { cgroup: '/a' }, { cgroup: '/a' }],
    ['-n -B', { samples: false, buildid: false }, { samples: false, buildIds: false }],
    ['-d -W', { data: true, weight: true }, { fields: { dataAddresses: true, weights: true } }],
    ['--intr-regs', { intrRegs: true }, { fields: { interruptRegs: [] } }],
    ['--user-regs=ax,sp', { userRegs: 'ax,sp' }, { fields: { userRegs: ['ax', 'sp'] } }],
    ['-b', { branchAny: true }, { fields: { branches: ['any'] } }],
    ['-j any_call,u', { branchFilter: 'any_call,u' }, { fields: { branches: ['any_call', 'u'] } }],
    ['--as-root', { asRoot: true }, { asRoot: true }],
  ])('%s', (_line, flags, expected) => {
    expect(options(flags)).toEqual(expected);
  });

  it('record keeps the words of the command unchanged', () => {
    expect(options({}, 'A=1', './app', '-p', '1')).toEqual({
      command: ['A=1', './app', '-p', '1'],
    });
  });

  it.each<[GivenFlags, string]>([
    [{ pid: '1,x' }, '-p 1,x: expected ids'],
    [{ freq: '99', count: '5' }, '-F and -c exclude each other'],
    [{ pid: '7', allCpus: true }, '-p and -a exclude each other: name one target'],
    [{ port: '80' }, '--port goes with --view'],
    [{ switchMaxFiles: '2' }, '--switch-max-files goes with --switch-output'],
    [{ tid: '' }, '-t: expected ids'],
    [{ freq: '99.5' }, '-F 99.5: expected a whole number'],
    [{ freq: 'fast' }, '-F fast: expected a whole number'],
    [{ count: '-1' }, '-c -1: expected a whole number'],
    [{ count: '9007199254740993' }, '-c 9007199254740993: expected a whole number'],
    [{ cpu: '3-1' }, "'3-1' is not a list of CPUs"],
    [{ maxSize: '0' }, '--max-size 0: expected a size such as 10M'],
    [{ maxSize: '10T' }, '--max-size 10T: expected a size such as 10M'],
    [{ duration: '0' }, '--duration 0: expected a number above 0'],
    [{ duration: '1e3' }, '--duration 1e3: expected a number above 0'],
    [{ delay: '-2' }, '-D -2: expected a number above 0'],
    [{ mmapPages: '1.5M' }, '-m 1.5M: expected a number of pages'],
    [{ clockid: 'sundial' }, '-k sundial: unknown clock'],
    [{ callGraph: 'magic' }, '--call-graph magic: unknown way to record stacks'],
    [{ callGraph: 'dwarf,' }, '--call-graph dwarf,: the stack copy has 8 to 65528 bytes'],
    [{ callGraph: 'dwarf,0' }, '--call-graph dwarf,0: the stack copy has 8 to 65528 bytes'],
    [{ callGraph: 'dwarf,65529' }, '--call-graph dwarf,65529: the stack copy has 8 to 65528'],
    [{ callGraph: 'lbr,16' }, '--call-graph lbr,16: unknown way to record stacks'],
  ])('the command line of record refuses %o', (flags, message) => {
    expect(refusal(() => options(flags))).toContain(message);
  });
});

describe('--fail-on-loss', () => {
  const read = (failOnLoss: string) =>
    readFlags(RECORD, { inherit: true, failOnLoss }).toleratedLoss;

  it('--fail-on-loss takes a share or a percentage; without it any loss is tolerated', () => {
    expect(['0', '0.01', '.5', '1', '1%', '2.5%', '100%', ' 10% '].map(read)).toEqual([
      0, 0.01, 0.5, 1, 0.01, 0.025, 1, 0.1,
    ]);
  });

  it.each(['', '2', '101%', '-1', '1 %', 'none', '0,5', 'NaN'])(
    '--fail-on-loss refuses "%s"',
    (failOnLoss) => {
      const message = `--fail-on-loss${failOnLoss && ` ${failOnLoss}`}: expected a share such as 0.01 or 1%`;
      expect(refusal(() => read(failOnLoss))).toBe(message);
    },
  );
});

/** The message that the command line prints for the `UsageError` that `read` throws. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return atCommand(error as UsageError).message;
  }
  return 'nothing was thrown';
}
