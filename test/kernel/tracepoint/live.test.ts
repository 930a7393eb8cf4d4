// What fires here and now, and the format of every tracepoint of this kernel.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseKallsyms } from '../../../src/code/symbols/kallsyms.ts';
import { TracepointFormats } from '../../../src/kernel/tracepoint/tracepoint-formats.ts';
import { withRecording } from '../../../src/read/open-recording.ts';
import { findPerf, scratchDirectory } from '../../helpers/cli.ts';
import { describeLive } from '../../helpers/live.ts';
import { runPerfRecord } from '../../helpers/perf-record.ts';
import { ourTexts, perfTexts, type TracepointText } from '../../helpers/tracepoint-texts.ts';

const EVENTS = '/sys/kernel/tracing/events';
const scratch = scratchDirectory();
const perfCanTrace = findPerf() !== null && existsSync(join(EVENTS, 'sched'));

/** Files, processes, timers, signals and a conversation over TCP. */
const WORKLOAD = `
  const { execFileSync } = require('node:child_process');
  const fs = require('node:fs');
  const net = require('node:net');
  const file = process.argv[1];
  fs.writeFileSync(file, 'x'.repeat(100000));
  fs.renameSync(file, file + '.2');
  fs.unlinkSync(file + '.2');
  execFileSync('true');
  process.on('SIGUSR1', () => {});
  process.kill(process.pid, 'SIGUSR1');
  const server = net.createServer((socket) => socket.end('y'.repeat(70000)));
  server.listen(0, '127.0.0.1', () => {
    net.connect(server.address().port, '127.0.0.1').on('close', () => server.close()).resume();
  });
`;

/**
 * What is left of a line where perf's is known not to be the kernel's; see real-formats.test.ts.
 * The two texts of such a line are compared without that part.
 */
function comparable({ event, text }: TracepointText): string {
  if (event === 'timer:timer_start') return text.replace(/flags=[A-Z|]*$/, '');
  if (event.startsWith('kmem:mm_page')) return text.replace(/page=(\?|0x[0-9a-f]+|\(nil\))/, '');
  return text;
}

function linesOf(texts: readonly TracepointText[]): string[] {
  return texts.map((line) => `${line.at} ${line.event}: ${comparable(line)}`).sort();
}

function symbolOfKallsyms() {
  const table = parseKallsyms(readFileSync('/proc/kallsyms'), new Diagnostics());
  return (address: number) => {
    const row = table.find(address);
    return row < 0 ? null : { name: table.name(row), offset: address - table.start(row) };
  };
}

describeLive('tracepoints that fire here', () => {
  // Opening all 720 events of syscalls or 130 of ext4 takes longer than all the rest.
  const GROUPS = [
    ['sched:*', 'task:*', 'signal:*'],
    ['irq:*', 'timer:*', 'workqueue:*', 'ipi:*'],
    ['kmem:*', 'exceptions:*'],
    ['raw_syscalls:*'],
    ['openat', 'write', 'mmap', 'execve', 'connect'].map((call) => `syscalls:sys_*_${call}`),
    ['net:*', 'skb:*', 'sock:*', 'tcp:*'],
    ['filemap:*', 'block:*', 'ext4:*write*', 'ext4:*unlink*', 'jbd2:*'],
  ];

  test.skipIf(!perfCanTrace).each(GROUPS.map((group) => [group.join(' '), group] as const))(
    '%s prints as in perf script',
    (name, group) => {
      const file = join(scratch, `${GROUPS.indexOf(group)}.data`);
      const events = group
        .filter((pattern) => existsSync(join(EVENTS, pattern.split(':')[0])))
        .flatMap((pattern) => ['-e', pattern]);
      const command = [process.execPath, '-e', WORKLOAD, join(scratch, 'file')];
      runPerfRecord(['-o', file, '-m', '512', '-c', '1', ...events, '--', ...command]);
      const symbolOf = symbolOfKallsyms();
      const ours = linesOf(withRecording(file, (data) => ourTexts(data, symbolOf)));
      const theirs = linesOf(perfTexts(file));
      expect(ours.length, name).toBe(theirs.length);
      expect(ours.length).toBeGreaterThan(0);
      // What this perf does not know, __get_cpumask() and min(), it shows as pairs.
      const isGivenUp = (line: string | undefined) => line?.includes(': [FAILED TO PARSE]');
      const differing = ours.filter((line, i) => line !== theirs[i] && !isGivenUp(theirs[i]));
      expect(differing).toEqual([]);
    },
  );

  test.skipIf(!existsSync(join(EVENTS, 'sched')))(
    'every format of this kernel is parsed, and nearly every print fmt',
    () => {
      const formats = readdirSync(EVENTS, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('/format'))
        .map((path) => ({
          system: path.split('/')[0],
          text: readFileSync(join(EVENTS, path), 'utf8'),
        }));
      const all = [...new TracepointFormats({ formats, longSize: 8, littleEndian: true })];
      const lines = formats.reduce((sum, { text }) => sum + text.split('field:').length - 1, 0);
      const fields = all.reduce(
        (sum, format) => sum + format.fieldList.length + format.commonFields.length,
        0,
      );
      expect([all.length, fields]).toEqual([formats.length, lines]);
      // Statements and functions of the kernel; everything else must be understood.
      const reasons = all.map(({ notEvaluated }) => notEvaluated).filter((why) => why !== null);
      for (const why of reasons) expect(why).toMatch(/^(a statement|\w+\(\))$/);
      expect(reasons.length).toBeLessThan(all.length / 100);
    },
  );
});
