// What perf's tutorials and manuals teach, typed to perf-ts: it works, or one line says what there is instead.
// Invocations that record are in test/live/perf-invocations.test.ts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { builtRecordings } from '../../helpers/recordings.ts';

const scratch = scratchDirectory();
const [, bytes] = builtRecordings().find(([name]) => name === 'little-endian file')!;
writeFileSync(join(scratch, 'perf.data'), bytes);

const run = (line: string) => perfTs(line.split(' '), { cwd: scratch });

describe('an invocation of perf that reads a recording works as it stands', () => {
  test.each([
    ['report', /samples/],
    ['report --stdio', /samples/],
    ['report -n --stdio', /samples +file +function/],
    ['report -g graph,0.5,caller --stdio', /total +self\n/],
    ['report -g --stdio', /total +self\n/],
    ['report -G', /total +self\n/],
    ['report --call-graph none --stdio', /samples +file +function/],
    ['report --no-children --sort comm,dso', /comm +file/],
    ['report --header-only', /^# file +perf\.data/],
    ['report --header --stdio', /^# file +perf\.data[\s\S]*function/],
    ['report --stats', /SAMPLE +60/],
    ['report -F overhead,sample,comm', /self +samples +comm\n/],
    ['report -q --stdio', /^self/],
    ['report -f -i perf.data', /samples/],
    ['report -t , --stdio', /\n# self,total,samples,dso,symbol\n[\d.]+%,/],
    ['report --show-total-period', /self +weight +samples/],
    ['report --show-nr-samples', /samples +file +function/],
    ['list -j sw', /"schema": "perf-ts\/list@\d"/],
    ['script -F comm,tid,ip', /app/],
    ['script --header-only', /^# file +perf\.data/],
    ['script --header -F comm', /^# file +perf\.data[\s\S]*\n *app/],
    ['script -q -F comm', /app/],
    ['evlist', /^\S+\n/],
    ['evlist -F', /sample_(?:freq|period)=\d+/],
    ['evlist -v', /sample_type IP\|/],
    ['buildid-list', /^(?:[0-9a-f]+ .+\n)*$/],
    ['version', /^perf-ts version \d+\.\d+\.\d+\n$/],
    ['version --build-options', /addon +o(?:n|ff)/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
    ['annotate --stdio', /shares below are of the function/],
    ['annotate --stdio -l -i perf.data', /shares below are of the function/],
  ])('%s', (line, printed) => {
    const { status, stdout } = run(line);
    expect(status).toBe(0);
    expect(stdout).toMatch(printed);
  });
});

test('report -q prints the table alone, and nothing on standard error', () => {
  const { stdout, stderr } = run('report -q');
  expect(stdout).not.toMatch(/^#/m);
  expect(stderr).toBe('');
});

test('fields of report -t hold the separator nowhere else, and the figures are those of the table', () => {
  const { stdout } = run('report -q -t ; -F overhead,sample,sym -n 0');
  const rows = stdout.split('\n').filter((row) => row !== '');
  expect(new Set(rows.map((row) => row.split(';').length))).toEqual(new Set([3]));
  const samples = rows.reduce((sum, row) => sum + Number(row.split(';')[1]), 0);
  expect(samples).toBe(60);
});

test('annotate --dsos selects as --dso does', () => {
  const [asPerf, ours] = ['--dsos', '--dso'].map((option) =>
    run(`annotate ${option} no-such-file`),
  );
  expect(asPerf.stdout).toBe('');
  expect([asPerf.status, asPerf.stderr]).toEqual([ours.status, ours.stderr]);
});

describe('what perf-ts does not have is answered with what there is instead', () => {
  test.each([
    ['script report flamegraph', 'perf-ts export --format html'],
    ['script flamegraph', 'perf-ts export --format html'],
    ['script report stackcollapse', 'perf-ts export --format folded'],
    ['script report failed-syscalls-by-pid', 'perf script reads the same file'],
    ['script -s stackcollapse.py', 'perf script -s reads the same file'],
    ['trace ls', 'perf-ts record'],
    ['sched record sleep 1', '--off-cpu'],
    ['sched latency', '--off-cpu'],
    ['mem record ./app', 'perf-ts record -d'],
    ['c2c report', 'perf c2c'],
    ['lock record ./app', '--off-cpu'],
    ['kvm stat live', "'kvm:*'"],
    ['timechart record', 'perf-ts view'],
    ['bench sched all', 'perf-ts stat'],
    ['ftrace -T do_sys_open', 'perf-ts record'],
    ['probe --add tcp_sendmsg', 'perf-ts record -e probe:'],
    ['data convert --to-json out.json', 'perf-ts export'],
    ['inject -j -i perf.data -o jit.data', 'perf inject -j reads the file'],
    ['inject -k vmlinux -i perf.data -o jit.data', 'perf-ts report --kallsyms FILE'],
    ['inject --guestmount /guests -i perf.data -o x.data', 'perf inject --guestmount reads'],
    ['buildid-list -m', 'perf-ts buildid-list FILE prints the kernel'],
    ['annotate -P main', 'sources have the paths'],
    ['buildid-cache --add ./app', 'perf-ts archive'],
    ['kmem record', "'kmem:*'"],
    ['iostat', "'block:*'"],
    ['daemon start', '--switch-output'],
    ['config --list', 'perf-ts/config.json'],
    ['record --bpf-event -- true', 'recorded always'],
    ['test', 'perf-ts doctor'],
    ['report --itrace=i100us', 'perf does'],
    ['report -U', '-S NAME'],
    ['report --max-stack 5', '--percent-limit'],
    ['report -b', 'perf report -b'],
    ['report --switch-on sched:sched_switch', '--time'],
    ['record -r 1 -- true', 'chrt'],
    ['record --kcore -- true', 'perf-ts archive'],
    ['record --vmlinux v -- true', '--kallsyms vmlinux'],
    ['record --debuginfod -- true', 'perf-ts report --debuginfod'],
    ['record --group -- true', "-e '{cycles,instructions}'"],
    ['stat -M IPC true', '--topdown'],
    ['stat -n true', 'duration_time'],
    ['stat --append -o f true', '>> FILE'],
    ['stat --metric-only true', '--json'],
    ['top -K', '--all-user'],
    ['top -z', '--window'],
    ['list --details', '--json'],
    ['diff --formula', '--json'],
    ['annotate --show-total-period', '--json'],
    ['annotate --show-nr-samples', 'samples of the function'],
    ['report --stdio-color always', '--color'],
    ['report --no-call-graph', '-g none'],
    ['stat --json-output true', 'stat -j'],
    ['-v', 'perf-ts --version'],
  ])('%s', (line, instead) => {
    const { status, stdout, stderr } = run(line);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    const [what, hint] = stderr.split('\n');
    expect(what).toMatch(/^perf-ts: /);
    expect(hint).toContain(instead);
  });
});

describe('a name that only perf has comes with what there is instead', () => {
  test.each([
    ['list metric', 125, 'perf-ts stat'],
    ['list sdt', 125, 'perf probe'],
    ['stat record true', 127, 'perf-ts stat --json -o FILE'],
    ['stat report', 127, 'perf-ts stat --json -o FILE'],
  ])('%s', (line, expected, instead) => {
    const { status, stdout, stderr } = run(line);
    expect([status, stdout]).toEqual([expected, '']);
    expect(stderr.split('\n')[1]).toContain(instead);
  });
});

describe('a word that is neither ours nor perf’s gets the nearest name, and no absurd one', () => {
  test.each([
    ['report --stats1', 'did you mean --stats?'],
    ['record --frequncy 9 true', 'did you mean --freq?'],
    ['report --percent-limt 3', 'did you mean --percent-limit?'],
    ['reprot', 'did you mean report?'],
  ])('%s', (line, hint) => {
    expect(run(line).stderr).toContain(`\n  ${hint}\n`);
  });

  test.each(['report --xyzzy', 'record --stdoi true', 'hello', 'report -y'])(
    '%s has no suggestion',
    (line) => {
      const { status, stderr } = run(line);
      expect(status).toBe(2);
      expect(stderr).not.toContain('did you mean');
      expect(stderr).toMatch(/--help shows the (?:options|commands)\n$/);
    },
  );
});
