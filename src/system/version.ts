import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package's folder, which lies two up from here in src/system/, dist/system/ and dist/bin/ alike. */
const PACKAGE_ROOT = new URL('../../', import.meta.url);

/** The version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Path of a file of this package, named from its root. */
export function packageFile(name: string): string {
  return fileURLToPath(new URL(name, PACKAGE_ROOT));
}
