import { createRequire } from 'node:module';
import { packageFile } from '../version.ts';

// Code that runs inside the profiled program is CommonJS, built into files of its own. It is loaded from
// there when it is needed: neither the bundled command nor a test's loader can take it in.

export function codeEventsModule(): typeof import('../../register/code-events.cts') {
  return load('code-events');
}

export function takeInModule(): typeof import('../../register/take-in.cts') {
  return load('take-in');
}

export function shellTextModule(): typeof import('../../register/shell-text.cts') {
  return load('shell-text');
}

function load<Module>(name: string): Module {
  return createRequire(import.meta.url)(packageFile(`dist/register/${name}.cjs`)) as Module;
}
