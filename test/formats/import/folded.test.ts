import { describe, expect, it, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { importFolded } from '../../../src/formats/import/folded.ts';
import {
  type ImportedProfile,
  ImportedProfileBuilder,
  NO_LIMITS,
} from '../../../src/formats/import/imported-profile.ts';
import { forEachLine } from '../../../src/formats/import/text-lines.ts';
import { checkProfile } from '../../helpers/check-profile.ts';

function imported(...lines: readonly string[]): ImportedProfile {
  const result = importFolded(memorySource(new TextEncoder().encode(lines.join('\n'))));
  checkProfile(result.profile);
  return result;
}

describe('folded stacks', () => {
  it('folded stacks are a comm, frames from the root inwards, and a number of samples', () => {
    const { profile } = imported('app;main;work 3', 'app;main 1', 'sh 2');
    expect(profile.samples.length).toBe(6);
    expect([...profile.samples.stack]).toEqual([1, 1, 1, 0, -1, -1]);
    expect(profile.threads.map(({ comm, tid }) => [comm, tid])).toEqual([
      ['app', -1],
      ['sh', -1],
    ]);
    expect(profile.meta.notes).toContain('the numbers of the lines are taken as samples');
  });

  it('a line with a function alone is a stack of it, one with a comm alone is none', () => {
    const { profile } = imported('ns::fill(unsigned int, int)+0x2a 2', '(sd-pam) 1');
    const { frames, funcs, strings } = profile;
    expect([...frames.func].map((func) => strings[funcs.name[func]])).toEqual([
      'ns::fill(unsigned int, int)+0x2a',
    ]);
    expect([...profile.samples.stack]).toEqual([0, 0, -1]);
  });

  it('an empty name between two semicolons is a function that is unknown', () => {
    const { profile } = imported('app;main;;leaf 3');
    const { frames, funcs, strings } = profile;
    const names = [...frames.func].map((func) => strings[funcs.name[func]]);
    expect(names).toEqual(['main', '[unknown]', 'leaf']);
  });

  it('folded lines with non-integer numbers are one sample each', () => {
    const { profile } = imported('app;main 1500000000', 'app;main;work 2500000000');
    expect([...profile.samples.periodEvents]).toEqual([1_500_000_000, 2_500_000_000]);
    expect([...imported('a;f 0.5').profile.samples.periodEvents]).toEqual([0.5]);
  });

  it('annotations of folded frames give the kind of code', () => {
    const { profile } = imported(
      'java;run_[j];inner_[i];do_syscall_64_[k];[libc.so.6];[unknown] 1',
    );
    const { frames, dsos, funcs, strings } = profile;
    expect(
      [...frames.func].map((func, frame) => [
        strings[funcs.name[func]],
        dsos[frames.dso[frame]]?.kind ?? null,
        frames.inlineDepth[frame],
      ]),
    ).toEqual([
      ['run', 'jit', 0],
      ['inner', null, 1],
      ['do_syscall_64', 'kernel', 0],
      ['[unknown]', 'user', 0],
      ['[unknown]', null, 0],
    ]);
  });

  it('JIT code without names is read as it is exported, and with the brackets of others', () => {
    const { profile } = imported('node;[JIT] tid_12 1', 'node;[[JIT] tid 12] 1');
    expect(profile.dsos).toEqual([
      { kind: 'jit', name: '[JIT] tid 12', path: '[JIT] tid 12', buildId: null },
    ]);
    expect(profile.strings).toContain('[unknown]');
  });

  it('folded stacks may have names that end in numbers', () => {
    const { profile } = imported('a;f 12 7', '# a comment', '', 'a;g\t1\r');
    expect(profile.samples.length).toBe(8);
    expect(profile.strings).toContain('f 12');
  });

  it('lines that are not folded stacks are counted', () => {
    expect(imported('a;b 1', 'a;b').diagnostics.entries()).toEqual([
      { code: 'text-line-malformed', count: 1, detail: 'a;b' },
    ]);
  });
});

test('a text of too many threads is refused before the rest of it is read', () => {
  const text = new TextEncoder().encode(
    Array.from({ length: 400_000 }, (_, i) => `thread${i} 1\n`).join(''),
  );
  const whole = memorySource(text);
  let readTo = 0;
  const source = {
    size: whole.size,
    read: (offset: number, length: number) => {
      readTo = Math.max(readTo, offset + length);
      return whole.read(offset, length);
    },
  };
  const limits = {
    ...NO_LIMITS,
    checkThreads: (threads: number) => {
      if (threads > 1000) throw new Error('too many threads');
    },
  };
  expect(() => importFolded(source, new ImportedProfileBuilder(undefined, limits))).toThrow(
    'too many threads',
  );
  expect(readTo).toBeLessThan(whole.size / 2);
});

test('a line over many pieces of the text is put together once, and may be too long', () => {
  const line = `app;${'f;'.repeat(1_500_000)}g 1`;
  const source = memorySource(new TextEncoder().encode(`a 1\r\n${line}\r\nb 1\n`));
  const lines: string[] = [];
  forEachLine(source, (text) => lines.push(text));
  expect(lines.map((text) => text.length)).toEqual([3, line.length, 3]);
  expect(lines[1] === line).toBe(true);
  const refuse = (characters: number) => {
    if (characters > 2 ** 20) throw new Error('too long');
  };
  expect(() => forEachLine(source, () => {}, refuse)).toThrow('too long');
});
