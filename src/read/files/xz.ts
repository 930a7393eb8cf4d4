import { lateModules } from '../../base/late-modules.ts';
import type { Decompress } from '../../code/elf/section-bytes.ts';
import { helperEnvironment } from '../../system/system-programs.ts';

const TIMEOUT_MS = 10_000;
const MAX_MEMORY = '256MiB';

/**
 * Decompresses by the system's `xz`, which is wherever files with `.gnu_debugdata` are: packages for
 * it bring sixty others, an install script, or no way to wait for the result.
 */
export const inflateXz: Decompress = (bytes, size) => {
  const words = ['--decompress', '--stdout', `--memlimit-decompress=${MAX_MEMORY}`];
  const run = lateModules.childProcess.spawnSync('xz', words, {
    input: bytes,
    maxBuffer: size,
    timeout: TIMEOUT_MS,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: helperEnvironment(),
  });
  if (run.error !== undefined) {
    const { code } = run.error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? 'xz is not installed' : `xz: ${code ?? run.error.message}`);
  }
  if (run.status !== 0) {
    const signal = run.signal === null ? '' : `ended by ${run.signal}`;
    throw new Error(`xz: ${run.stderr.toString().trim() || signal}`);
  }
  return run.stdout;
};
