import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { cleanEnvironment, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';

/**
 * A copy of this checkout that counts as installed and built, so that the script does neither here:
 * it shares node_modules, and what it compares with the built files is older than they.
 */
function builtCheckout(): string {
  const checkout = join(scratchDirectory(), 'my checkout');
  mkdirSync(checkout);
  const without = { filter: (path: string) => !path.endsWith('/out'), recursive: true };
  for (const folder of ['examples', 'dist', 'build/Release', 'src', 'native', 'web']) {
    cpSync(join(projectRoot, folder), join(checkout, folder), {
      ...without,
      preserveTimestamps: true,
    });
  }
  for (const file of ['package.json', 'package-lock.json']) {
    cpSync(join(projectRoot, file), join(checkout, file));
    utimesSync(join(checkout, file), 0, 0);
  }
  const future = Date.now() / 1000 + 3600;
  utimesSync(join(checkout, 'dist/bin/main.js'), future, future);
  symlinkSync(join(projectRoot, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

describeLiveAsUser('examples/quickstart.sh', () => {
  test('quickstart.sh ends with the period report, the top table and the flame graph page', () => {
    const checkout = builtCheckout();
    const run = spawnSync('bash', ['examples/quickstart.sh'], {
      cwd: checkout,
      encoding: 'utf8',
      env: cleanEnvironment(),
    });
    expect(run.status).toBe(0);
    expect(run.stderr).toMatch(
      /\d samples of \S+, page-faults(:u)?, .* in examples\/out\/perf\.data$/m,
    );
    const { stdout } = run;
    expect(stdout).not.toMatch(/== (installing|building)/);
    expect(stdout).toMatch(/^page-faults(:u)?: 30 000 Hz asked, [\d ]+ Hz reached$/m);
    expect(stdout).toMatch(/%\s+[\d ]+ {2}hot-paths +mix$/m);
    expect(stdout).toMatch(/npx perf-ts view \S+perf\.data\n/);
    const address = /flame graph page +(file:\/\/\S*)$/m.exec(stdout)?.[1] ?? '';
    const page = fileURLToPath(address);
    expect(existsSync(page)).toBe(true);
    const data = /id="page-data-0">([^<]*)</.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
    expect(gunzipSync(Buffer.from(data, 'base64')).toString('latin1')).toContain('"solve_row"');
  });
});
