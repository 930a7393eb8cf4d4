import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package's folder, which lies two up from here in src/system/, dist/system/ and dist/bin/ alike. */
const PACKAGE_ROOT = new URL('../../', import.meta.url);

let version: string | null = null;

/** The version in package.json as it was when first asked for: the package may be replaced while a recording runs. */
export function packageVersion(): string {
  if (version !== null) return version;
  const text = readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8');
  version = (JSON.parse(text) as { version: string }).version;
  return version;
}

/** Path of a file of this package, named from its root. */
export function packageFile(name: string): string {
  return fileURLToPath(new URL(name, PACKAGE_ROOT));
}
