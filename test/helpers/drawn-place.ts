import type { RunPlace } from '../../src/system/run-place.ts';

const NVM = '/home/ann/.nvm/versions/node/v20.20.2/bin';

/**
 * Draws the place where a program runs: `programs` are the files that can be executed, each with the file behind it
 * where it is a link.
 */
export function drawnPlace(
  change: Partial<Omit<RunPlace, 'resolveProgram'>> & { programs?: Record<string, string> } = {},
): RunPlace {
  const { programs = NVM_PROGRAMS as Record<string, string>, ...rest } = change;
  const { script = `${NVM}/perf-ts` } = rest;
  return {
    isRoot: false,
    hasSudo: true,
    container: null,
    execPath: `${NVM}/node`,
    execArgv: [],
    script,
    scriptFile: script === null ? null : (programs[script] ?? script),
    firstWord: 'record',
    ownScripts: ['/home/ann/.nvm/lib/perf-ts/dist/bin/main.js'],
    path: `${NVM}:/usr/local/bin:/usr/bin:/bin`,
    isOfPackageManager: false,
    userName: 'ann',
    cwd: '/home/ann/shop',
    distribution: 'debian',
    resolveProgram: (path) => programs[path] ?? null,
    ...rest,
  };
}

const NVM_PROGRAMS = {
  [`${NVM}/node`]: `${NVM}/node`,
  [`${NVM}/perf-ts`]: '/home/ann/.nvm/lib/perf-ts/dist/bin/main.js',
};
