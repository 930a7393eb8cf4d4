import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURES = fileURLToPath(new URL('../kernel/events/fixtures', import.meta.url));

/** Writes the machine of test/kernel/events/fixtures/NAME.txt as a sysfs of two CPUs below `root`. */
export function writeSysfsTree(machine: string, root: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  };
  write('devices/system/cpu/online', '0-1');
  for (const line of readFileSync(join(FIXTURES, `${machine}.txt`), 'utf8').split('\n')) {
    const [, path, text] = /^([^#\s]\S*) (.*)$/.exec(line) ?? [];
    if (path !== undefined) write(join('bus/event_source/devices', path), text);
  }
}

export const SYSFS_EXPECTED = join(FIXTURES, 'expected.json');
