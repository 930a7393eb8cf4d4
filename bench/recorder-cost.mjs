import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { info } from './measure.mjs';

const TIME = '/usr/bin/time';

/**
 * Runs a recorder that writes `file`: its CPU time in seconds, times woken, memory in MiB; samples, and bytes of
 * the file.
 */
export function measureRecorder(words, file) {
  if (!existsSync(TIME)) throw new Error(`there is no ${TIME}: Debian's package is called time`);
  for (const name of [file, `${file}.old`]) rmSync(name, { force: true });
  const ran = spawnSync(TIME, ['-f', '%U %S %w %M', ...words], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${words.join(' ')}: ${ran.stderr}`);
  const [user, system, woken, kibibytes] = ran.stderr
    .trim()
    .split('\n')
    .pop()
    .split(' ')
    .map(Number);
  const samples = info(file).records.SAMPLE;
  return {
    cpu: user + system,
    woken,
    mebibytes: kibibytes / 1024,
    samples,
    bytes: statSync(file).size,
  };
}
