// Root's page is for the user who logged in as well, root's files are not.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { AS_NOBODY, NOBODY } from '../helpers/nobody.ts';

const scratch = scratchDirectory();
const LOGGED_IN = `echo ${NOBODY} > /proc/self/loginuid && exec "$@"`;

/** Whether a process can be given another login than ours, as a login program does. */
function canSetLogin(): boolean {
  if (process.geteuid?.() !== 0) return false;
  const words = [...AS_NOBODY, process.execPath, '-e', '0'];
  const tries = [
    spawnSync('sh', ['-c', LOGGED_IN, 'sh', 'true']),
    spawnSync(words[0], words.slice(1)),
  ];
  return tries.every(({ status }) => status === 0);
}

/** What nobody's browser gets: the answers for the first strings of the recording. */
function askAsNobody(url: string): { status: number; text: string }[] {
  const script = `
    const answers = [];
    for (let row = 0; row < 40; row++) {
      const answer = await fetch(process.argv[1] + 'source/0?name=' + row);
      const text = answer.ok ? (await answer.json()).text : await answer.text();
      answers.push({ status: answer.status, text });
    }
    console.log(JSON.stringify(answers));`;
  const [program, ...words] = [...AS_NOBODY, process.execPath, '--input-type=module', '-e', script];
  return JSON.parse(execFileSync(program, [...words, url], { encoding: 'utf8', cwd: '/' }));
}

it.skipIf(!canSetLogin())(
  'the source of a file that only root may read is not served to the user who logged in [needs root and a settable loginuid]',
  async () => {
    chmodSync(scratch, 0o755);
    const [secret, open] = [join(scratch, 'secret.js'), join(scratch, 'open.js')];
    writeFileSync(secret, 'the secret', { mode: 0o640 });
    writeFileSync(open, 'for everybody');
    chmodSync(open, 0o644);
    const file = join(scratch, 'script.txt');
    const sampleIn = (name: string, path: string) =>
      `node 7/7 [000] 5.1: 1 cpu-clock:\n\t7f0000001000 JS:*${name} ${path}:3:5 (/tmp/perf-7.map)\n\n`;
    writeFileSync(file, sampleIn('leak', secret) + sampleIn('show', open));
    const view = startPerfTs(['view', file, '--no-open'], {
      under: ['sh', '-c', LOGGED_IN, 'sh'],
    });
    try {
      const url = await new Promise<string>((resolve) => {
        view.child.stdout?.once('data', (data) => resolve(String(data).trim()));
      });
      const answers = askAsNobody(url);
      expect(answers).toContainEqual({ status: 200, text: 'for everybody' });
      const refused = { status: 404, text: `${secret}: can't be read as uid ${NOBODY}` };
      expect(answers).toContainEqual(refused);
      expect(JSON.stringify(answers)).not.toContain('the secret');
    } finally {
      view.child.kill('SIGTERM');
      await view.ended;
    }
  },
);
