// Runs programs with and without perf-ts, and perf-ts among hostile neighbours. `README.md` describes how to call it.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
/** Set within the mount namespace that has a /tmp of its own. */
const INSIDE = 'PERF_TS_STRANGERS_INSIDE';

process.exit(process.env[INSIDE] === undefined ? runWithOwnTmp() : await runRig());

/**
 * Runs this again with a /tmp of its own, where the user may: programs, other users and V8 write there, and what is
 * left there is then the rig's. Folders that lie below /tmp stay where they are.
 */
function runWithOwnTmp() {
  const own = mkdtempSync(join(tmpdir(), 'perf-ts-strangers-'));
  const given = (option) => {
    const at = process.argv.indexOf(option);
    return at < 0 ? root : resolve(process.argv[at + 1]);
  };
  const folders = [root, own, given('--root'), dirname(given('--json'))];
  const kept = [...folders, dirname(process.execPath), process.env.PERF_TS_NODES].filter((path) =>
    path?.startsWith('/tmp/'),
  );
  const script = `
    mount -t tmpfs -o mode=1777,size=2g tmpfs "$1/tmp"
    for path in ${kept.map((path) => `'${path}'`).join(' ')}; do
      mkdir -p "$1/tmp/\${path#/tmp/}"; mount --bind "$path" "$1/tmp/\${path#/tmp/}"
    done
    mount --move "$1/tmp" /tmp; shift; exec "$@"`;
  mkdirSync(join(own, 'tmp'));
  mkdirSync(join(own, 'scratch'), { mode: 0o755 });
  const words = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const canMount =
    process.geteuid() === 0 &&
    spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
  const all = canMount ? ['unshare', '-m', 'sh', '-ec', script, 'sh', own, ...words] : words;
  const env = {
    ...process.env,
    [INSIDE]: canMount ? 'own' : 'shared',
    TMPDIR: join(own, 'scratch'),
  };
  try {
    return spawnSync(all[0], all.slice(1), { stdio: 'inherit', env }).status ?? 1;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** One file, so that what runs is one state of the sources; as deep as this folder. */
async function runRig() {
  const path = join(here, `../build/strangers-${process.pid}.mjs`);
  const bundle = await rolldown({
    input: join(here, 'rig.ts'),
    platform: 'node',
    external: [/^[^./]/],
    logLevel: 'silent',
  });
  await bundle.write({ file: path, format: 'esm', codeSplitting: false });
  await bundle.close();
  try {
    const { runStrangers } = await import(pathToFileURL(path).href);
    return await runStrangers(process.argv.slice(2), process.env[INSIDE] === 'own');
  } finally {
    rmSync(path, { force: true });
  }
}
