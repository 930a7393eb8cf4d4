import { readFileSync } from 'node:fs';

/** The time that one test file took, and the CPU time of its process and of all children that it waited for. */
export type Cost = { readonly seconds: number; readonly cpuSeconds: number };

declare module 'vitest' {
  interface TaskMeta {
    cost?: Cost;
  }
}

/** A process of vitest begins with what it takes to start it and to import its first file. */
let before: Cost = { seconds: 0, cpuSeconds: 0 };

/** The cost since the last call in this process, which is that of one test file. */
export function takeCost(): Cost {
  const now = { seconds: performance.now() / 1000, cpuSeconds: ownSeconds() + childSeconds() };
  const seconds = now.seconds - before.seconds;
  const cpuSeconds = now.cpuSeconds - before.cpuSeconds;
  before = now;
  return { seconds, cpuSeconds };
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** proc_pid_stat(5): cutime and cstime are the fields 16 and 17, in ticks of a hundredth of a second. */
function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // Field 2 is the command in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
