import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { readBuildId } from '../../../src/code/elf/build-id.ts';
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
      kernelReference: null,
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

/** A program at the kernel's addresses, linked without a C library. */
const KERNEL_SOURCE = `
int counter;
static inline __attribute__((always_inline)) void twice(int n) { counter += n * 2; }
__attribute__((noinline)) void sys_work(int n) {
  twice(n);
}
__attribute__((section(".text.first"))) void _text(void) { sys_work(1); }
`;

describe.skipIf(process.arch !== 'x64')('lines of a kernel image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perf-ts-image-'));
  const image = join(folder, 'vmlinux');
  const source = join(folder, 'work.c');
  writeFileSync(source, KERNEL_SOURCE);
  const where = ['-nostdlib', '-static', '-Wl,-Ttext=0xffffffff81000000', '-Wl,-e,_text'];
  const how = ['-g', '-O1', '-mcmodel=kernel', '-fno-pic', '-no-pie', '-fcf-protection=none'];
  execFileSync('gcc', [...how, ...where, '-Wl,--build-id', '-o', image, source]);
  const names = execFileSync('nm', [image], { encoding: 'utf8' });
  const bytes = readFileSync(image);
  rmSync(folder, { recursive: true });
  const elf = parseElf(memorySource(bytes), new Diagnostics());
  /** In signed form: the kernel's are negative. */
  const addressOf = (name: string): number => {
    const [, hex] = new RegExp(`^([0-9a-f]+) . ${name}$`, 'm').exec(names) ?? [];
    return Number(BigInt.asIntN(64, BigInt(`0x${hex}`)));
  };

  /** Lines at sys_work of a kernel that lies `moved` bytes above where the image was linked. */
  function linesAt(moved: number | null, buildId = readBuildId(elf!, new Diagnostics())) {
    const dsos = new DsoTable();
    const dso = dsos.intern({ kind: 'kernel' }, buildId);
    const lines = new DsoLines({
      dsos,
      provider: ({ need }) => (need === 'kernel-image' ? memorySource(bytes) : null),
      decoders: sectionDecoders,
      demangleCpp: null,
      diagnostics: new Diagnostics(),
      kernelReference:
        moved === null ? null : { symbol: '_text', address: addressOf('_text') + moved },
    });
    const found = new Set<string>();
    const start = addressOf('sys_work') + (moved ?? 0);
    for (let at = start; at < start + 16; at++) {
      const count = lines.find(dso, at);
      const rows = Array.from({ length: count }, (_unused, row) => {
        const file = lines.file(row);
        return `${lines.name(row)} ${file.slice(file.lastIndexOf('/') + 1)}:${lines.frames.line[row]}`;
      });
      found.add(rows.join(' < '));
    }
    return [...found];
  }

  test('a kernel where it was linked has lines and inlined calls', () => {
    expect(linesAt(0)).toContain('twice work.c:3 < sys_work work.c:5');
  });

  test('a kernel that was moved in memory has the same lines', () => {
    expect(linesAt(0x1900_0000)).toEqual(linesAt(0));
  });

  test('a kernel whose place is not recorded has none, nor has one of another build', () => {
    expect(linesAt(null)).toEqual(['']);
    expect(linesAt(0, 'c0ffee')).toEqual(['']);
  });
});
