import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { findSection, parseElf } from '../../../src/code/elf/elf-file.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { DsoLines } from '../../../src/code/symbols/dso-lines.ts';
import { sectionDecoders } from '../../../src/read/files/section-decoders.ts';
import { compileC } from '../../helpers/compile.ts';

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '../../helpers/workload.c');

/** The bytes of a file whose read number `failing` fails as read(2) does, and those after it. */
function failingSource(bytes: Uint8Array, failing: number): ByteSource & { reads: number } {
  const memory = memorySource(bytes);
  const source = {
    size: memory.size,
    reads: 0,
    read(offset: number, length: number) {
      if (++source.reads >= failing) {
        const error = new Error('EIO: i/o error, read');
        throw Object.assign(error, { code: 'EIO', syscall: 'read', path: '/usr/bin/app' });
      }
      return memory.read(offset, length);
    },
  };
  return source;
}

describe.each(['-gz=none', '-gz=zlib'])('lines of a program built with %s', (compression) => {
  const bytes = readFileSync(compileC(SOURCE, ['-g', '-O1', '-pthread', compression]));
  const elf = parseElf(memorySource(bytes), new Diagnostics());
  const text = findSection(elf!, '.text')!;

  /** Function names at every 16th byte of the code, and what was missing. */
  function namesAt(failing: number) {
    const dsos = new DsoTable();
    const dso = dsos.intern({ kind: 'user-file', path: '/usr/bin/app', fileId: '0:0:1' });
    const diagnostics = new Diagnostics();
    const source = failingSource(bytes, failing);
    const lines = new DsoLines({
      dsos,
      provider: ({ need }) => (need === 'elf' ? source : null),
      decoders: sectionDecoders,
      demangleCpp: null,
      diagnostics,
    });
    const names: string[] = [];
    for (let at = text.offset; at < text.offset + text.size; at += 16) {
      const count = lines.find(dso, at);
      names.push(Array.from({ length: count }, (_unused, row) => lines.name(row)).join(' < '));
    }
    lines.close();
    return { names, reads: source.reads, diagnostics };
  }

  test('lines of a file that fails to read at any point are the same or reported missing', () => {
    const { names: whole, reads } = namesAt(Number.POSITIVE_INFINITY);
    expect(whole.filter((name) => name !== '').length).toBeGreaterThan(5);
    expect(reads).toBeGreaterThan(3);
    for (let failing = 1; failing <= reads; failing++) {
      const { names, diagnostics } = namesAt(failing);
      expect(names.filter((name, index) => name !== whole[index] && name !== '')).toEqual([]);
      const missing = diagnostics.entries().filter(({ code }) => code.endsWith('s-missing'));
      const message = 'cannot read /usr/bin/app: the device reports an error (EIO)';
      const why = { cause: 'failed', message };
      expect(missing).toMatchObject([{ code: 'lines-missing', subject: '/usr/bin/app', why }]);
    }
  });
});
