// A process that becomes another program.
import { execPath, execve } from 'node:process';

process.on('exit', () => console.log('not reached'));
execve(
  execPath,
  [execPath, '-e', 'console.log("became", process.argv.length); process.exit(6)'],
  process.env,
);
