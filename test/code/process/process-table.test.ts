import { describe, expect, test } from 'vitest';
import { StringTable } from '../../../src/base/string-table.ts';
import { parseHexAddress } from '../../../src/base/u64.ts';
import { ProcessTable } from '../../../src/code/process/process-table.ts';
import type { MappingRecord } from '../../../src/code/process/types.ts';

/** A process table, fed with short forms of records and asked with short forms of questions. */
function drawn() {
  const strings = new StringTable();
  const table = new ProcessTable(strings);
  const map = (
    pid: number,
    start: number,
    end: number,
    path: string,
    more?: Partial<MappingRecord>,
  ) =>
    table.mmap({
      pid,
      tid: pid,
      start,
      length: end - start,
      fileOffset: 0,
      path,
      executable: true,
      cpuMode: 'user',
      buildId: null,
      major: 8,
      minor: 1,
      inode: 0,
      ...more,
    });
  /** `dso+address` as a frame would have it, or null where nothing is mapped. */
  const at = (pid: number, address: number): string | null => {
    const mapping = table.findMapping(pid, address);
    if (mapping < 0) return null;
    const dso = table.dsos.finish()[table.mappings.dso(mapping)];
    return `${dso?.name}+${table.mappings.addressInDso(mapping, address).toString(16)}`;
  };
  const comm = (pid: number, tid: number) => strings.get(table.commOf(table.threadAt(pid, tid)));
  return { table, map, at, comm };
}

describe('a mapping', () => {
  test('a mapping turns an address into an offset in its file', () => {
    const { map, at } = drawn();
    map(1, 0x7f0000, 0x7f4000, '/lib/libc.so', { fileOffset: 0x26000 });
    expect(at(1, 0x7f0010)).toBe('libc.so+26010');
    expect(at(1, 0x7f3fff)).toBe('libc.so+29fff');
    expect(at(1, 0x7f4000)).toBeNull();
    expect(at(2, 0x7f0010)).toBeNull();
  });

  test('a mapping cuts what it overlaps; both remaining parts keep their offsets', () => {
    const { map, at } = drawn();
    map(1, 0x1000, 0x9000, '/bin/a');
    map(1, 0x3000, 0x4000, '/bin/b');
    map(1, 0x8000, 0xa000, '/bin/c');
    expect(
      [0x1000, 0x2fff, 0x3000, 0x4000, 0x7fff, 0x8000, 0x9fff, 0xa000].map((a) => at(1, a)),
    ).toEqual(['a+0', 'a+1fff', 'b+0', 'a+3000', 'a+6fff', 'c+0', 'c+1fff', null]);
  });

  test('a kernel mapping is seen by every process, at absolute addresses', () => {
    const { table, map, at } = drawn();
    const kernel = { cpuMode: 'kernel', pid: -1 } as const;
    const text = parseHexAddress('ffffffff81000000');
    const hid = parseHexAddress('ffffffffc0340000');
    map(-1, text, text + 0x1000000, '[kernel.kallsyms]_text', { ...kernel, fileOffset: text });
    map(-1, hid, hid + 0x9000, '[hid]', kernel);
    map(-1, hid + 0x10000, hid + 0x11000, '/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz', kernel);
    expect(at(7, text + 16)).toBe(`[kernel.kallsyms]+${(text + 16).toString(16)}`);
    expect(at(7, hid + 16)).toBe(`[hid]+${(hid + 16).toString(16)}`);
    expect(at(7, hid + 0x10000)).toBe(`[nf_nat]+${(hid + 0x10000).toString(16)}`);
    expect(table.kernelReference).toEqual({ symbol: '_text', address: text });
  });

  test('a kernel address belongs to the kernel without a mapping', () => {
    const { at } = drawn();
    const address = parseHexAddress('ffffffff81000000');
    expect(at(1, address)).toBe(`[kernel.kallsyms]+${address.toString(16)}`);
  });

  test.each([
    ['[vdso]', 'vdso', '[vdso]'],
    ['//anon', 'jit', '[JIT] tid 5'],
    ['[heap]', 'jit', '[JIT] tid 5'],
    ['[stack]', 'jit', '[JIT] tid 5'],
    ['/memfd:doublemapper (deleted)', 'jit', '[JIT] tid 5'],
    ['anon_inode:[perf_event]', 'jit', '[JIT] tid 5'],
    ['[vvar]', 'unknown', '[vvar]'],
    ['/usr/bin/node', 'user', 'node'],
  ])('called %s is of kind %s', (path, kind, name) => {
    const { table, map } = drawn();
    map(5, 0x1000, 0x2000, path);
    expect(table.dsos.finish()[1]).toMatchObject({ kind, name });
  });

  test('a mapping without a path is a program if its loader mapped it', () => {
    const { table, map } = drawn();
    map(5, 0x1000, 0x2000, '/memfd:app (deleted)', { isPrivate: true, inode: 7 });
    map(6, 0x1000, 0x2000, '/memfd:other (deleted)', { buildId: 'c0ffee' });
    map(7, 0x1000, 0x2000, '/memfd:doublemapper (deleted)', { isPrivate: false });
    expect(table.dsos.finish().map(({ kind }) => kind)).toEqual(['kernel', 'user', 'user', 'jit']);
  });

  test('a mapping that is not executable is not JIT code', () => {
    const { table, map } = drawn();
    map(5, 0x1000, 0x2000, '//anon', { executable: false });
    expect(table.dsos.finish()[1]?.kind).toBe('unknown');
  });

  test('a file replaced at its path is another DSO', () => {
    const { table, map } = drawn();
    map(1, 0x1000, 0x2000, '/bin/app', { inode: 7 });
    map(2, 0x1000, 0x2000, '/bin/app', { inode: 7 });
    map(3, 0x1000, 0x2000, '/bin/app', { inode: 8 });
    map(4, 0x1000, 0x2000, '/bin/app', { buildId: 'c0ffee' });
    expect(table.dsos.finish().map(({ path, buildId }) => [path, buildId])).toEqual([
      ['[kernel.kallsyms]', null],
      ['/bin/app', null],
      ['/bin/app', null],
      ['/bin/app', 'c0ffee'],
    ]);
    table.dsos.setBuildId('/bin/app', 'beef');
    expect(table.dsos.finish().map(({ buildId }) => buildId)).toEqual([
      null,
      'beef',
      'beef',
      'c0ffee',
    ]);
    table.dsos.setBuildId('/bin/app', 'dead');
    expect(table.dsos.finish().map(({ buildId }) => buildId)).toEqual([null, null, null, 'c0ffee']);
  });
});

describe('a BPF program', () => {
  test('a BPF program is a DSO of its own while it is loaded, and for samples that come late', () => {
    const { table, at } = drawn();
    const address = parseHexAddress('ffffffffc1000000');
    table.ksymbol(address, 0x80, 'bpf_prog_abc', false);
    table.ksymbol(address, 0x80, 'bpf_prog_abc', true);
    expect(at(1, address + 4)).toBe(`bpf_prog_abc+${(address + 4).toString(16)}`);
    expect(at(1, address + 0x80)).toMatch(/^\[kernel/);
  });
});

describe('fork', () => {
  test('a forked thread shares the mappings and inherits the name', () => {
    const { table, map, at, comm } = drawn();
    table.comm(10, 10, 'server', false);
    map(10, 0x1000, 0x2000, '/bin/a');
    table.fork(10, 10, 11, 10);
    expect(comm(10, 11)).toBe('server');
    table.comm(10, 11, 'worker', false);
    expect([comm(10, 10), comm(10, 11)]).toEqual(['server', 'worker']);
    map(10, 0x3000, 0x4000, '/bin/b');
    expect(at(10, 0x3000)).toBe('b+0');
  });

  test('a thread described by a later name is called as its parent', () => {
    const { table, comm } = drawn();
    table.comm(10, 10, 'server', false);
    table.comm(10, 11, 'worker', false);
    table.fork(10, 10, 11, 10);
    expect(comm(10, 11)).toBe('server');
    table.comm(10, 11, 'worker', false);
    // The recorder's own records of a running process follow the name, too.
    table.fork(10, 10, 11, 10, true);
    expect(comm(10, 11)).toBe('worker');
  });

  test('a forked process gets a copy of the mappings at that moment', () => {
    const { table, map, at } = drawn();
    map(10, 0x1000, 0x2000, '/bin/a');
    table.fork(20, 10, 20, 10);
    map(10, 0x3000, 0x4000, '/bin/parent');
    map(20, 0x5000, 0x6000, '/bin/child');
    expect([at(10, 0x1000), at(10, 0x3000), at(10, 0x5000)]).toEqual(['a+0', 'parent+0', null]);
    expect([at(20, 0x1000), at(20, 0x3000), at(20, 0x5000)]).toEqual(['a+0', null, 'child+0']);
  });

  test('a fork reported several times counts once', () => {
    const { table, map, comm } = drawn();
    table.comm(10, 10, 'sh', false);
    map(10, 0x1000, 0x2000, '/bin/sh');
    for (let i = 0; i < 3; i++) table.fork(20, 10, 20, 10);
    expect(comm(20, 20)).toBe('sh');
    expect(table.finishThreads()).toEqual([{ pid: 20, tid: 20, generation: 0, comm: 'sh' }]);
  });

  test('a fork of a used pid starts a new generation', () => {
    const { table, map, at, comm } = drawn();
    table.comm(10, 10, 'sh', false);
    table.fork(20, 10, 20, 10);
    map(20, 0x1000, 0x2000, '/bin/old');
    comm(20, 20);
    table.exit(20, 20);
    table.fork(20, 10, 20, 10);
    expect(at(20, 0x1000)).toBeNull();
    comm(20, 20);
    expect(table.finishThreads()).toEqual([
      { pid: 20, tid: 20, generation: 0, comm: 'sh' },
      { pid: 20, tid: 20, generation: 1, comm: 'sh' },
    ]);
  });

  test('a fork of a pid that ended unseen starts another generation', () => {
    const { table } = drawn();
    table.fork(20, 10, 20, 10);
    table.exit(20, 20);
    table.fork(20, 10, 20, 10);
    table.threadAt(20, 20);
    expect(table.finishThreads()[0]?.generation).toBe(1);
  });

  test('a synthesized fork of a running process copies no mappings', () => {
    const { table, map, at } = drawn();
    map(10, 0x1000, 0x2000, '/bin/parent');
    table.fork(20, 10, 20, 10, true);
    expect(at(20, 0x1000)).toBeNull();
  });
});

describe('exec', () => {
  test('exec starts a new generation with nothing mapped', () => {
    const { table, map, at, comm } = drawn();
    table.comm(10, 10, 'sh', false);
    map(10, 0x1000, 0x2000, '/bin/sh');
    const before = table.threadAt(10, 10);
    table.comm(10, 10, 'gzip', true);
    expect(at(10, 0x1000)).toBeNull();
    map(10, 0x1000, 0x2000, '/bin/gzip');
    expect(at(10, 0x1000)).toBe('gzip+0');
    expect(table.threadAt(10, 10)).not.toBe(before);
    expect(comm(10, 10)).toBe('gzip');
    expect(table.finishThreads()).toEqual([
      { pid: 10, tid: 10, generation: 0, comm: 'sh' },
      { pid: 10, tid: 10, generation: 1, comm: 'gzip' },
    ]);
  });

  test('an exec of an unknown process starts generation 0', () => {
    const { table, comm } = drawn();
    table.comm(10, 10, 'app', true);
    expect(comm(10, 10)).toBe('app');
    expect(table.finishThreads()[0]?.generation).toBe(0);
  });

  test("an exec of a child leaves its parent's mappings alone", () => {
    const { table, map, at } = drawn();
    map(10, 0x1000, 0x2000, '/bin/sh');
    table.fork(20, 10, 20, 10);
    table.comm(20, 20, 'ls', true);
    map(20, 0x1000, 0x2000, '/bin/ls');
    expect([at(10, 0x1000), at(20, 0x1000)]).toEqual(['sh+0', 'ls+0']);
  });
});

describe('threads', () => {
  test('threads are identified by tid, and enter the profile when sampled', () => {
    const { table } = drawn();
    table.comm(1, 1, 'main', false);
    table.comm(1, 2, 'quiet', false);
    const first = table.threadAt(1, 1);
    const third = table.threadAt(1, 3);
    expect([table.threadAt(1, 1), table.threadAt(1, 3)]).toEqual([first, third]);
    expect(table.finishThreads()).toEqual([
      { pid: 1, tid: 1, generation: 0, comm: 'main' },
      { pid: 1, tid: 3, generation: 0, comm: ':3' },
    ]);
  });

  test('threads of pid 0 are the idle threads', () => {
    expect(drawn().comm(0, 0)).toBe('swapper');
  });

  test('renamed keep their row; the name asked for is the one of that moment', () => {
    const { table, comm } = drawn();
    table.comm(1, 1, 'before', false);
    const thread = table.threadAt(1, 1);
    expect(comm(1, 1)).toBe('before');
    table.comm(1, 1, 'after', false);
    expect(comm(1, 1)).toBe('after');
    expect(table.threadAt(1, 1)).toBe(thread);
  });

  test('threads whose tid goes to another process are others', () => {
    const { table } = drawn();
    expect(table.threadAt(1, 5)).not.toBe(table.threadAt(2, 5));
  });
});

test('tid −1 of an exiting thread does not match the thread looked up before', () => {
  const { table, comm } = drawn();
  const gone = table.threadAt(-1, -1);
  expect(gone).toBe(0);
  table.comm(7, 7, 'app', false);
  expect(table.threadAt(7, 7)).toBe(1);
  table.comm(7, 7, 'renamed', true);
  expect(table.threadAt(-1, -1)).toBe(gone);
  expect(comm(-1, -1)).toBe(':-1');
});

describe('mappings of processes that are gone', () => {
  /** 1000 processes that map ten files each, one after the other, beside one that stays and one that shares its mappings. */
  function runMany(table: ProcessTable, map: ReturnType<typeof drawn>['map']): number {
    for (let i = 0; i < 10; i++) map(1, i * 0x2000 + 0x1000, i * 0x2000 + 0x2000, `/bin/kept${i}`);
    table.fork(2, 1, 2, 1);
    let most = 0;
    for (let pid = 10; pid < 1010; pid++) {
      table.comm(pid, pid, 'job', true);
      for (let i = 0; i < 10; i++) map(pid, i * 0x3000 + 0x1000, i * 0x3000 + 0x3000, `/bin/f${i}`);
      table.exit(pid, pid);
      table.forgetEnded();
      most = Math.max(most, table.mappings.length);
    }
    return most;
  }

  test('mappings of processes that are gone are given back where ended processes are forgotten', () => {
    const { table, map, at } = drawn();
    table.keepsEnded = false;
    expect(runMany(table, map)).toBeLessThan(5000);
    expect(table.mappings.sweeps).toBe(2);
    for (const pid of [1, 2]) expect(at(pid, 0x5004)).toBe('kept2+4');
    expect([at(1009, 0x4010), at(1000, 0x4010)]).toEqual(['f1+10', null]);
    expect(table.findMapping(1, -4096)).toBe(0);
  });

  test('mappings of processes that are gone stay where a recording is read', () => {
    const { table, map, at } = drawn();
    expect(runMany(table, map)).toBe(10_011);
    expect(at(10, 0x4010)).toBe('f1+10');
  });
});

describe('who has a file mapped', () => {
  test('processes that have a file mapped now are listed, forked ones too, those met last first', () => {
    const { table, map } = drawn();
    map(1, 0x1000, 0x9000, '/bin/a', { inode: 7 });
    map(2, 0x5000, 0x6000, '/bin/a', { inode: 8 });
    table.fork(3, 1, 3, 1);
    map(4, 0x2000, 0x3000, '/bin/a', { inode: 7 });
    table.comm(4, 4, 'b', true);
    const key = { kind: 'user-file', path: '/bin/a', fileId: '8:1:7' } as const;
    expect([...table.mappingsOf(key)]).toEqual([
      { pid: 3, start: 0x1000, end: 0x9000 },
      { pid: 1, start: 0x1000, end: 0x9000 },
    ]);
  });
});

describe('the name of a process', () => {
  test('a process is called what it was when its program began, whatever its threads are called', () => {
    const { table } = drawn();
    table.comm(1, 1, 'node', true);
    table.fork(1, 1, 2, 1);
    table.comm(1, 2, 'libuv-worker', false);
    table.comm(1, 1, 'MainThread', false);
    table.fork(3, 1, 3, 2);
    table.comm(4, 5, 'worker', false);
    expect([1, 3, 4].map((pid) => table.nameOf(pid))).toEqual(['node', 'node', '']);
    table.comm(3, 3, 'sh', true);
    expect(table.nameOf(3)).toBe('sh');
  });
});
