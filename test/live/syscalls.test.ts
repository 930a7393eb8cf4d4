// System calls by function, beside those that a program makes in a known number.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { departures } from '../helpers/json-schema.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const hasTracepoints = existsSync('/sys/kernel/tracing/events/raw_syscalls');
const TIMES = 60;
const PROGRAM = `
import { fsyncSync, openSync, readSync, writeSync } from 'node:fs';
const file = openSync(process.argv[2], 'w+');
const block = Buffer.alloc(10000);
function save() { writeSync(file, block, 0, 10000, 0); fsyncSync(file); }
function load() { readSync(file, block, 0, 4000, 0); readSync(file, block, 0, 3000, 0); }
const began = process.hrtime.bigint();
for (let i = 0; i < ${TIMES}; i++) save();
console.log(Number(process.hrtime.bigint() - began));
for (let i = 0; i < ${TIMES}; i++) load();
`;

describeLive('system calls', () => {
  it.runIf(hasTracepoints)(
    'number, time and bytes of system calls are those that functions of the program know',
    async () => {
      const [file, program] = [join(scratch, 'calls.data'), join(scratch, 'calls.mjs')];
      writeFileSync(program, PROGRAM);
      const calls = '--syscalls=fsync,pread64,pwrite64';
      const command = ['node', program, join(scratch, 'out')];
      // The rings have room for all calls, each with a copy of its stack: the recorder may not run meanwhile.
      const record = ['record', '-q', '-m', '8M', '-o', file, calls];
      const { stdout, status } = perfTs([...record, '--', ...command]);
      expect(status).toBe(0);
      const opened = await openProfile(file);
      const { funcs, strings } = opened.profileAt('javascript');
      const made = (opened.syscalls() ?? []).flatMap(({ func, call, count, bytes, totalNs }) => {
        const name = func < 0 ? '' : (strings[funcs.name[func]].split(' ')[0] ?? '');
        return name === 'save' || name === 'load' ? [{ name, call, count, bytes, totalNs }] : [];
      });
      const figures = made.map(({ totalNs: _, ...rest }) => rest);
      const byCall = figures.sort((a, b) => (a.call < b.call ? -1 : 1));
      expect(byCall).toEqual([
        { name: 'save', call: '(kernel: fsync)', count: TIMES, bytes: 0 },
        { name: 'load', call: '(kernel: pread64)', count: 2 * TIMES, bytes: 7000 * TIMES },
        { name: 'save', call: '(kernel: pwrite64)', count: TIMES, bytes: 10000 * TIMES },
      ]);
      const saving = made.filter(({ name }) => name === 'save');
      const together = saving.reduce((sum, { totalNs }) => sum + totalNs, 0);
      expect(together).toBeGreaterThan(0);
      expect(together).toBeLessThan(Number(stdout));
      const document = perfTs(['report', '--syscalls', '--json', '-i', file]).stdout;
      expect(departures('syscalls', document)).toEqual([]);
      const { stdout: table } = perfTs(['report', '--syscalls', '-i', file]);
      expect(table).toMatch(/60 .* 600\.0 kB +pwrite64 .*save/);
    },
  );

  it('a call that no kernel has is refused with one that it has', () => {
    const file = join(scratch, 'none.data');
    const { status, stderr } = perfTs(['record', '-o', file, '--syscalls=fsnc', '--', 'true']);
    expect(status).not.toBe(0);
    expect(stderr).toContain(hasTracepoints ? 'did you mean fsync?' : '--syscalls');
  });
});
