import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * `host` or `worker` as one file, so that what runs is one state of the sources; as deep below the
 * repository as this folder, so that what looks for its files finds them. Gone with this process.
 */
export async function bundle(name) {
  const path = join(here, `../build/limits-${name}-${process.pid}.mjs`);
  const made = await rolldown({
    input: join(here, `${name}.ts`),
    platform: 'node',
    external: [/^[^./]/],
    logLevel: 'silent',
  });
  await made.write({ file: path, format: 'esm', codeSplitting: false });
  await made.close();
  process.on('exit', () => rmSync(path, { force: true }));
  return path;
}
