import { basename, dirname, join } from 'node:path';
import { parseForeignJson, textField } from '../../../base/foreign-json.ts';
import { mainScript } from '../../../code/javascript/main-script.ts';
import type { StrangerReads } from '../../../system/strangers/stranger-reads.ts';

/** Runtimes whose scripts lie in packages. */
const RUNTIME = /^(?:node|nodejs|bun|deno|tsx|ts-node)(?:-?\d[\d.]*)?$/;
const MOST_NAME_CHARS = 256;

/** `name` and `version` of the `package.json` around the main script; null where there is none. */
export type MainPackage = { readonly name: string; readonly version: string | null };

/**
 * Finds the package of a JavaScript process: that of the folder nearest to its main script. Files are looked
 * up as the process sees them, below its own root.
 */
export async function findMainPackage(
  pid: number,
  argv: readonly string[],
  reads: Pick<StrangerReads, 'workingFolder' | 'filesAbove'>,
): Promise<MainPackage | null> {
  const script = RUNTIME.test(basename(argv[0] ?? '')) ? mainScript(argv) : null;
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
