import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { toHex } from '../../../src/base/hex.ts';
import { decodeInOrder } from '../../../src/code/disassembly/decoder.ts';
import type { InstructionSet } from '../../../src/code/disassembly/types.ts';
import { findSection, parseElf } from '../../../src/code/elf/elf-file.ts';
import { loadDecoders } from '../../../src/read/code/decoders.ts';
import { openRegular } from '../../../src/system/files/open-regular.ts';

/** Loops, switches, floating point, vectors, calls, strings: what gcc makes most of its code of. */
const SOURCE = `
  #include <math.h>
  #include <stdlib.h>
  #include <string.h>
  int table(int x) {
    switch (x) { case 1: return 7; case 2: return 9; case 3: return abs(x); case 4: return 2;
      case 5: return 77; case 6: return 1; default: return -x; }
  }
  double norm(const double *v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i] * v[i]; return sqrt(s); }
  unsigned hash(const char *p) { unsigned h = 5381; while (*p) h = h * 33 ^ (unsigned char)*p++; return h; }
  void saxpy(float *restrict y, const float *restrict x, float a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
  long divide(long a, long b) { return b == 0 ? a : a / b + a % b; }
  int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
  void sort(int *v, size_t n) { qsort(v, n, sizeof *v, compare); }
  unsigned long bits(unsigned long x) { return __builtin_popcountl(x) + __builtin_ctzl(x | 1) + (x << 13 | x >> 51); }
  char *copy(const char *s) { char *t = malloc(strlen(s) + 1); return t ? strcpy(t, s) : t; }
  float convert(double d, int i) { return (float)d + (float)i; }
  int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  _Bool swap(int *p, int old) { return __sync_bool_compare_and_swap(p, old, old + 1); }
`;

type Line = { readonly address: number; readonly bytes: string; readonly text: string };

const directory = mkdtempSync(join(tmpdir(), 'objdump-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** `aarch64-linux-gnu-gcc` where the machine is another one. */
const toolFor = (target: string, tool: string): string =>
  process.arch === (target === 'x86_64' ? 'x64' : 'arm64') ? tool : `${target}-linux-gnu-${tool}`;

const CASES: readonly [InstructionSet, target: string][] = [
  ['x86-64', 'x86_64'],
  ['aarch64', 'aarch64'],
];

describe.each(CASES)('code of %s', (architecture, target) => {
  const compiler = toolFor(target, 'gcc');
  const objdump = toolFor(target, 'objdump');
  const missing = [compiler, objdump].find((tool) => spawnSync(tool, ['--version']).error);
  if (missing !== undefined) console.warn(`skipped: code of ${architecture}: no ${missing}`);

  it.skipIf(missing !== undefined)(
    "the disassembly of every instruction equals objdump's",
    async () => {
      const source = join(directory, 'code.c');
      // Linked, as objdump shows in place of an address what a relocation will put there.
      const library = join(directory, `code-${architecture}.so`);
      writeFileSync(source, SOURCE);
      const flags = ['-O2', '-shared', '-fPIC', '-nostdlib'];
      const built = spawnSync(compiler, [...flags, '-o', library, source], { encoding: 'utf8' });
      expect(built.stderr).toBe('');
      const expected = readObjdump(objdump, architecture, library);
      const decoded = await decodeText(library, architecture);
      expect(expected.length).toBeGreaterThan(200);
      expect(decoded.map(placeOf)).toStrictEqual(expected.map(placeOf));
      const normalise = architecture === 'x86-64' ? normaliseX86 : normaliseArm;
      expect(decoded.map(({ text }) => normalise(text))).toStrictEqual(
        expected.map(({ text }) => normalise(text)),
      );
    },
  );
});

const placeOf = ({ address, bytes }: Line): string => `${address.toString(16)} ${bytes}`;

function readObjdump(objdump: string, architecture: InstructionSet, path: string): Line[] {
  const spelling = architecture === 'x86-64' ? ['-M', 'intel'] : [];
  const options = ['-d', '-w', ...spelling, '-j', '.text', path];
  const { stdout } = spawnSync(objdump, options, { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const match = /^ *([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(.*)$/.exec(line);
    if (match === null) return [];
    const [, address, bytes, text] = match as unknown as [string, string, string, string];
    // Instructions of ARM are printed as one number.
    const inOrder = architecture === 'x86-64' ? bytes : reverseBytes(bytes);
    const digits = inOrder.replaceAll(' ', '');
    return [{ address: Number.parseInt(address, 16), bytes: digits, text: text.trim() }];
  });
}

const reverseBytes = (digits: string): string => digits.match(/../g)?.reverse().join('') ?? '';

async function decodeText(path: string, architecture: InstructionSet): Promise<Line[]> {
  const decoder = (await loadDecoders())(architecture);
  const file = openRegular(path);
  if (typeof file === 'string') throw new Error(`${path}: ${file}`);
  const { source } = file;
  const elf = parseElf(source, new Diagnostics());
  const text = elf && findSection(elf, '.text');
  if (!text) throw new Error(`${path} has no .text`);
  const lines: Line[] = [];
  decodeInOrder(
    decoder,
    text.size,
    text.address,
    (offset, length) => source.read(text.offset + offset, length),
    ({ offset, mnemonic, operands }, bytes) => {
      const address = text.address + offset;
      lines.push({ address, bytes: toHex(bytes), text: `${mnemonic} ${operands}`.trim() });
    },
  );
  source.close?.();
  return lines;
}

/**
 * One spelling for both: `QWORD PTR [rax+rcx*1+0x0]` is `qword ptr [rax + rcx]`, addresses have `0x`,
 * comments and names go. Padding differs in words only: `data16 cs nop …` is `nop … cs:…`.
 */
function normaliseX86(text: string): string {
  if (/\bnop\b|^xchg\s+ax,\s*ax$/.test(text)) return 'nop';
  return text
    .toLowerCase()
    .replace(/\s*(?:#.*|<[^>]*>)/g, '')
    .replace(/^(call|j\w+)\s+([0-9a-f]+)$/, '$1 0x$2')
    .replace(/\*1(?=[\]+-])/g, '')
    .replace(/\+0x0(?=\])/g, '')
    .replace(/\[rip\+0xf{8}([0-9a-f]{8})\]/g, (_, low: string) => {
      return `[rip-0x${(2 ** 32 - Number.parseInt(low, 16)).toString(16)}]`;
    })
    .replace(/0xf{8}([0-9a-f]{8})$/, (_, low: string) => {
      return `-0x${(2 ** 32 - Number.parseInt(low, 16)).toString(16)}`;
    })
    .replace(/\b\d+\b/g, (number) => `0x${Number(number).toString(16)}`)
    .replace(/\s*([-+*,])\s*/g, '$1')
    .replace(/\s+/g, ' ');
}

/** `b 2fc <fib+0x198>` is `b #0x2fc`; the constant behind `//` goes; `#5` is `#0x5`. */
function normaliseArm(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s*\/\/.*/, '')
    .replace(/(^|[\s,])([0-9a-f]+) <[^>]*>$/, '$1#0x$2')
    .replace(/#(-?)(0x[0-9a-f]+|\d+)/g, (_, sign: string, digits: string) => {
      return `#${sign}0x${Number(digits).toString(16)}`;
    })
    .replace(/\s*,\s*/g, ', ')
    .replace(/\s+/g, ' ');
}
