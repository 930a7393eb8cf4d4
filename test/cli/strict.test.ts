// `--strict` refuses a recording that is damaged anywhere, and without it every command reports the damage.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everyKind } from '../fuzz/every-kind.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';

const folder = scratchDirectory();
const [whole] = everyKind();

/** Where the table of header sections begins. */
const tableAt = Number(viewOf(whole).getBigUint64(40, true) + viewOf(whole).getBigUint64(48, true));

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The recording with another number in an entry of the table of header sections. */
function withEntry(entry: number, part: 'offset' | 'size', value: bigint): Uint8Array {
  const bytes = Uint8Array.from(whole);
  viewOf(bytes).setBigUint64(tableAt + 16 * entry + (part === 'offset' ? 0 : 8), value, true);
  return bytes;
}

const first = viewOf(whole).getBigUint64(tableAt, true);
const DAMAGES: readonly [name: string, bytes: Uint8Array, reported: string][] = [
  ['appendix', whole.subarray(0, whole.length - 5), 'part behind the header sections is cut off'],
  ['section', withEntry(1, 'size', 2n ** 40n), 'a header section reaches past the end of the file'],
  ['overlap', withEntry(3, 'offset', first), 'a header section lies over another one'],
];

const COMMANDS = [
  ['report'],
  ['report', '--stats'],
  ['script'],
  ['info'],
  ['evlist'],
  ['buildid-list'],
  ['inject', '-o', join(folder, 'out.data')],
];

test.each(DAMAGES)(
  'a recording with a damaged part (%s) is reported by each command, and refused with --strict',
  (name, bytes, reported) => {
    const file = join(folder, `${name}.data`);
    writeFileSync(file, bytes);
    for (const command of COMMANDS) {
      const read = perfTs([...command, '-i', file]);
      expect([read.status, read.stderr], command.join(' ')).toEqual([
        0,
        expect.stringContaining(reported),
      ]);
      const refused = perfTs([...command, '-i', file, '--strict']);
      expect([refused.status, refused.stderr], command.join(' ')).toEqual([
        125,
        expect.stringContaining(reported),
      ]);
    }
  },
);

test('a whole recording of every kind of record is read with --strict by each command', () => {
  const file = join(folder, 'whole.data');
  writeFileSync(file, whole);
  for (const command of COMMANDS) {
    const { status, stderr } = perfTs([...command, '-i', file, '--strict']);
    expect([status, stderr.includes('damaged')], command.join(' ')).toEqual([0, false]);
  }
});
