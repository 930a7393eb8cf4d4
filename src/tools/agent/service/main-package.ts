import { dirname, join } from 'node:path';
import { parseForeignJson, textField } from '../../../base/foreign-json.ts';
import type { StrangerReads } from '../../../system/strangers/stranger-reads.ts';

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
const MOST_NAME_CHARS = 256;

/** `name` and `version` of the `package.json` around the main script; null where there is none. */
export type MainPackage = { readonly name: string; readonly version: string | null };

/**
 * Finds the package of a JavaScript process: that of the folder nearest to its main script. Files are looked
 * up as the process sees them, below its own root.
 */
export async function findMainPackage(
  pid: number,
  reads: Pick<StrangerReads, 'commandLine' | 'workingFolder' | 'filesAbove'>,
): Promise<MainPackage | null> {
  const script = mainScript(await reads.commandLine(pid));
  if (script === null) return null;
  const folder = script.startsWith('/') ? '/' : await reads.workingFolder(pid);
  if (folder === null) return null;
  for (const text of await reads.filesAbove(pid, dirname(join(folder, script)), 'package.json')) {
    // A package without a name, as one that only says `"type": "module"`, is not it.
    const json = parseForeignJson(text);
    const name = textField(json, 'name', MOST_NAME_CHARS);
    if (name) return { name, version: textField(json, 'version', MOST_NAME_CHARS) };
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
