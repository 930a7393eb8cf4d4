import { dirname, join } from 'node:path';
import { openRegularBelow } from '../../../system/files/open-below.ts';
import { readLinkOrNull, readTextOrEmpty } from '../../../system/small-file.ts';

/** Program names that run the script which their first plain argument names. */
const RUNTIME = /^(?:node|nodejs|bun|deno|tsx|ts-node)(?:-?\d[\d.]*)?$/;
/** Options of Node whose value is a word of its own. */
const WITH_VALUE = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--env-file',
]);
const MOST_FOLDERS = 12;
const MOST_BYTES = 1 << 20;

/** `name` and `version` of the `package.json` around the main script; null where there is none. */
export type MainPackage = { readonly name: string; readonly version: string | null };

/**
 * Finds the package of a JavaScript process: that of the folder nearest to its main script. Files are looked
 * up as the process sees them, below its own root.
 */
export function findMainPackage(pid: number): MainPackage | null {
  const script = mainScript(readTextOrEmpty(`/proc/${pid}/cmdline`).split('\0'));
  if (script === null) return null;
  const root = `/proc/${pid}/root`;
  const folder = script.startsWith('/') ? '/' : workingFolder(pid);
  if (folder === null) return null;
  let around = dirname(join(folder, script));
  for (let i = 0; i < MOST_FOLDERS; i++) {
    const found = readPackage(root, join(around, 'package.json'));
    if (found !== null) return found;
    if (around === '/') return null;
    around = dirname(around);
  }
  return null;
}

/** The script that a runtime's command line names; null for other programs, and for code in the arguments. */
export function mainScript(argv: readonly string[]): string | null {
  const program = argv[0]?.slice(argv[0].lastIndexOf('/') + 1) ?? '';
  if (!RUNTIME.test(program)) return null;
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i];
    if (word === '' || word === '-' || /^(?:-e|-p|-pe|--eval|--print)$/.test(word)) return null;
    if (word === '--') return argv[i + 1] || null;
    if (WITH_VALUE.has(word)) i++;
    else if (!word.startsWith('-') && word !== 'run') return word;
  }
  return null;
}

function workingFolder(pid: number): string | null {
  return readLinkOrNull(`/proc/${pid}/cwd`);
}

/** A package without a name, as one that only says `"type": "module"`, is not it. */
function readPackage(root: string, path: string): MainPackage | null {
  const file = openRegularBelow(root, path);
  if (typeof file === 'string') return null;
  try {
    if (file.source.size > MOST_BYTES) return null;
    const text = Buffer.from(file.source.read(0, file.source.size)).toString('utf8');
    const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown };
    if (typeof name !== 'string' || name === '') return null;
    return { name, version: typeof version === 'string' ? version : null };
  } catch {
    return null;
  } finally {
    file.source.close?.();
  }
}
