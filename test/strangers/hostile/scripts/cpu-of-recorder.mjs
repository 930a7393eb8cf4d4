// The CPU time of a recorder, in milliseconds: printed by its command as that ends, and by itself (`node --import`) as it ends.
import fs from 'node:fs';

const TICK_MS = 10;

export function printCpuOfParent() {
  const stat = fs.readFileSync(`/proc/${process.ppid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  fs.writeSync(1, `recorder at its command's end: ${ticks * TICK_MS} ms\n`);
}

if (process.argv.includes('record')) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    fs.writeSync(1, `recorder at its own end: ${Math.round((user + system) / 1000)} ms\n`);
  });
}
