import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FailedError } from '../../../src/base/errors.ts';
import { examineBinary } from '../../../src/tools/doctor/binary-checks.ts';
import { scratchDirectory } from '../../helpers/cli.ts';
import { compileC, compileGo, hasGo } from '../../helpers/compile.ts';

const scratch = scratchDirectory();
const source = join(dirname(fileURLToPath(import.meta.url)), '../../helpers/stacks.c');

/** Check -> state. */
function statesOf(path: string): Record<string, string> {
  return Object.fromEntries(examineBinary(path).checks.map(({ name, state }) => [name, state]));
}

describe('doctor BINARY', () => {
  it('doctor BINARY on a program with frame pointers, unwind tables and symbols', () => {
    expect(statesOf(compileC(source, ['-O2', '-fno-omit-frame-pointer']))).toEqual({
      'frame-pointers': 'ok',
      'unwind-tables': 'ok',
      symbols: 'ok',
    });
  });

  it('doctor BINARY on a program without frame pointers', () => {
    const program = compileC(source, ['-O2', '-fomit-frame-pointer']);
    const [check] = examineBinary(program).checks;
    expect(check).toMatchObject({ name: 'frame-pointers', state: 'warn' });
    expect(check?.found).toMatch(/^0% of \d+ functions set one up$/);
    expect(check?.fix.join('\n')).toContain('-fno-omit-frame-pointer');
  });

  it('doctor BINARY on a program without unwind tables and symbols', () => {
    const bare = join(scratch, 'bare');
    const program = compileC(source, ['-O2', '-fno-omit-frame-pointer']);
    execFileSync('objcopy', ['-S', '-R', '.eh_frame', '-R', '.eh_frame_hdr', program, bare]);
    expect(statesOf(bare)).toMatchObject({ 'unwind-tables': 'warn', symbols: 'warn' });
  });

  it('doctor BINARY on a stripped program looks at the functions that .eh_frame lists', () => {
    const program = compileC(source, ['-O2', '-fno-omit-frame-pointer', '-s']);
    const [framePointers, , symbols] = examineBinary(program).checks;
    expect(framePointers?.found).toMatch(/^\d+% of \d+ functions set one up$/);
    expect(symbols?.found).toMatch(
      /^stripped: \d+ functions told apart by \.eh_frame, without names;/,
    );
  });

  it.skipIf(!hasGo)('doctor BINARY on a stripped Go program knows its own table', () => {
    const go = join(dirname(source), 'inlined-calls.go');
    const [framePointers, , symbols] = examineBinary(compileGo(go, ['-ldflags=-s -w'])).checks;
    expect(framePointers).toMatchObject({ state: 'ok' });
    expect(symbols).toMatchObject({ state: 'ok', found: expect.stringMatching(/^\.gopclntab; /) });
  });

  it('doctor BINARY on a file that is not a program', () => {
    const text = join(scratch, 'text');
    writeFileSync(text, 'no program');
    expect(() => examineBinary(text)).toThrow(FailedError);
  });
});
