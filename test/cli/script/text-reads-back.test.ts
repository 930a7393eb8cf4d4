import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { CORPORA, hasCorpora } from '../../helpers/corpora.ts';
import { layOutRecordedMachine } from '../../helpers/recorded-machine.ts';

const scratch = scratchDirectory();
const { symfs = '', kallsyms = '' } = hasCorpora
  ? layOutRecordedMachine(join(scratch, 'machine'))
  : {};
const symbols = ['--symfs', symfs, '--kallsyms', kallsyms];

const FILES = ['cpu-clock-F30000-fp', 'pagefaults-c1-fp', 'switch-events-F1000-fp'];

describe.skipIf(!hasCorpora)('the text of script', () => {
  test.each(FILES)('%s: has the stacks of the recording, whatever else is in it', (name) => {
    const file = join(CORPORA, 'own', `${name}.data`);
    const folded = (input: string) => {
      const options = ['--format', 'folded', '--weight', 'period', '-o', '-'];
      return perfTs(['export', ...options, ...symbols, input])
        .stdout.split('\n')
        .sort();
    };
    const text = join(scratch, `${name}.txt`);
    const run = perfTs(['script', ...symbols, file]);
    expect(run.stdout).toContain('PERF_RECORD_');
    writeFileSync(text, run.stdout);
    expect(folded(text)).toEqual(folded(file));
  });

  test('script notes a selection, and refuses an unknown field', () => {
    const file = join(CORPORA, 'own/cpu-clock-F30000-fp.data');
    const run = perfTs(['script', '--samples', '--dso', 'w_cpu_fp', '--time', '0%-50%', file]);
    const reported = /--time 0%-50% --dso w_cpu_fp: (\d+(?: \d+)*) of 4 529 samples/.exec(
      run.stderr,
    );
    const heads = run.stdout.split('\n').filter((line) => line.includes(' cpu-clock: '));
    expect(heads).toHaveLength(Number(reported?.[1]?.replace(' ', '')));
    expect(heads.length).toBeGreaterThan(500);
    const refused = perfTs(['script', '-F', 'comm,nonsense', file]);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('nonsense')]);
    // What only tracepoints have is left out where there are none, and refused where asked of others.
    const traceless = perfTs(['script', '-F', 'event,trace', file]);
    expect([traceless.status, traceless.stderr]).toEqual([0, expect.stringContaining('ignored')]);
    expect(traceless.stdout).toMatch(/^( *cpu-clock: \n)+$/);
    expect(perfTs(['script', '-F', 'sw:trace', file]).status).toBe(2);
  });

  test('JSON lines are every record, in order of time, with all that was recorded', () => {
    const run = perfTs(['script', '--json', join(CORPORA, 'own/sys_enter-c1-fork-fp.data')]);
    const records = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const times = records.filter(({ timeNs }) => timeNs).map(({ timeNs }) => BigInt(timeNs));
    expect(times.every((time, i) => i === 0 || time >= times[i - 1])).toBe(true);
    const sample = records.find(({ type }) => type === 'SAMPLE');
    expect(sample).toMatchObject({ event: 'raw_syscalls:sys_enter', comm: 'w_sysc', cpu: 0 });
    expect(sample.trace).toMatch(/^NR \d+ \(/);
    expect(sample.fields).toMatchObject({ id: expect.any(Number) });
    expect(sample.callchain.length).toBeGreaterThan(3);
    expect(new Set(records.map(({ type }) => type))).toContain('FORK');
  });
});
