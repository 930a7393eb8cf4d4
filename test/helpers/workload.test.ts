// What live tests rely on: the workload makes exactly what it says, and the shim breaks exactly what
// it says.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compileC, compileFaultShim, compileWorkload, preloading } from './compile.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-workload-'));
const programs: string[] = [];
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  for (const program of programs) rmSync(program, { force: true });
});

/** A program of this test only. */
function compileSource(name: string, text: string, flags: readonly string[] = []): string {
  const source = join(scratch, `${name}.c`);
  writeFileSync(source, text);
  const program = compileC(source, flags);
  programs.push(program);
  return program;
}

describe('compileC', () => {
  it('compileC compiles once and finds the result again', () => {
    const seven = compileSource('number', 'int main(void) { return 7; }');
    expect(spawnSync(seven).status).toBe(7);
    expect(compileSource('number', 'int main(void) { return 7; }')).toBe(seven);
    const eight = compileSource('number', 'int main(void) { return 8; }');
    expect(spawnSync(eight).status).toBe(8);
  });

  it("compileC shows the compiler's errors", () => {
    const broken = 'int main(void) { return nothing; }';
    expect(() => compileSource('broken', broken)).toThrow(/broken\.c:[\s\S]*nothing/);
  });

  it('compileC reports a missing compiler', () => {
    const before = process.env.CC;
    process.env.CC = 'no-such-compiler';
    try {
      expect(() => compileSource('empty', '')).toThrow(
        "no C compiler: 'no-such-compiler' is not on PATH",
      );
    } finally {
      if (before === undefined) delete process.env.CC;
      else process.env.CC = before;
    }
  });
});

describe('the workload', () => {
  const run = (...args: string[]) => spawnSync(compileWorkload(), args, { encoding: 'utf8' });

  it.each([
    ['pf', '1000'],
    ['faults-pinned', '1000', '0'],
    ['sys', '1000'],
    ['threads', '20', '0.05'],
    ['waiting', '20', '0.05'],
    ['shortthr', '20'],
    ['forks', '20'],
    ['execs', '20'],
    ['burn', '2', '0.05'],
    ['bursts', '2', '10', '10'],
  ])('workload %s does the requested number and reports it', (...args) => {
    const { status, stderr } = run(...args);
    expect(stderr).toMatch(new RegExp(`^${args[0]} ${args[1]} in \\d+\\.\\d{3} s\\n$`));
    expect(status).toBe(0);
  });

  it('the workload makes one page fault per count besides those of its start', () => {
    const counter = compileSource(
      'count-faults',
      `#include <stdio.h>
       #include <sys/resource.h>
       #include <sys/wait.h>
       #include <unistd.h>
       int main(int argc, char **argv) {
         struct rusage usage;
         pid_t child = fork();
         if (child == 0) return execv(argv[argc > 0], argv + 1);
         wait4(child, NULL, 0, &usage);
         printf("%ld", usage.ru_minflt);
       }`,
    );
    const faults = (count: number) => {
      const args = [compileWorkload(), 'pf', String(count)];
      return Number(spawnSync(counter, args, { encoding: 'utf8' }).stdout);
    };
    // A start takes a few faults more or fewer.
    expect(Math.abs(faults(50_001) - faults(1) - 50_000)).toBeLessThanOrEqual(20);
  });

  it('the workload exits with the status it was told', () => {
    expect(run('exit', '42').status).toBe(42);
  });

  it.each([
    ['segv', 'SIGSEGV'],
    ['kill9', 'SIGKILL'],
  ])('%s dies of %s', (mode, signal) => {
    expect(run(mode, '0', '0.01').signal).toBe(signal);
  });

  it('the workload refuses a mode that it does not have', () => {
    expect(run('dance')).toMatchObject({ status: 2, stderr: "workload: no mode 'dance'\n" });
  });
});

describe('the fault shim', () => {
  // Twelve writes of 90 bytes by all four calls in turn; a failed one shows why.
  const program = compileSource(
    'writer',
    `#define _GNU_SOURCE
     #include <errno.h>
     #include <fcntl.h>
     #include <stdio.h>
     #include <sys/uio.h>
     #include <unistd.h>
     int main(int argc, char **argv) {
       char data[90] = "";
       struct iovec halves[2] = {{data, 45}, {data + 45, 45}};
       int fd = open(argv[argc > 0], O_CREAT | O_TRUNC | O_WRONLY, 0600);
       for (int i = 0; i < 12; i++) {
         ssize_t result = i % 4 == 0   ? write(fd, data, 90)
                          : i % 4 == 1 ? pwrite(fd, data, 90, 1000)
                          : i % 4 == 2 ? writev(fd, halves, 2)
                                       : pwritev(fd, halves, 2, 1000);
         if (result >= 0) printf("%zd ", result);
         else if (errno == EINTR) printf("EINTR ");
         else if (errno == EAGAIN) printf("EAGAIN ");
         else if (errno == EIO) printf("EIO ");
         else printf("errno %d ", errno);
       }
     }`,
    ['-D_FILE_OFFSET_BITS=64'],
  );

  const writeUnder = (kind: string, path = join(scratch, 'written')) => {
    const env = { FI_WRITE: kind, ...preloading(compileFaultShim()) };
    return spawnSync(program, [path], { env, encoding: 'utf8' }).stdout.trimEnd();
  };

  it.each([
    ['nothing', '90 90 90 90 90 90 90 90 90 90 90 90'],
    ['short', '45 90 45 90 45 90 45 90 45 90 45 90'],
    ['one', '30 30 90 30 30 90 30 30 90 30 30 90'],
    ['eintr', '90 90 EINTR 90 90 EINTR 90 90 EINTR 90 90 EINTR'],
    ['eagain', '90 90 EAGAIN 90 90 EAGAIN 90 90 EAGAIN 90 90 EAGAIN'],
    ['eio@5', '90 90 90 90 EIO EIO EIO EIO EIO EIO EIO EIO'],
  ])('FI_WRITE=%s', (kind, expected) => {
    expect(writeUnder(kind)).toBe(expected);
  });

  it('FI_WRITE=slow takes 50 ms a write', () => {
    const start = process.hrtime.bigint();
    expect(writeUnder('slow')).toBe('90 90 90 90 90 90 90 90 90 90 90 90');
    expect(Number(process.hrtime.bigint() - start) / 1e6).toBeGreaterThanOrEqual(12 * 50);
  });

  it('the fault shim leaves devices alone', () => {
    expect(writeUnder('eio@1', '/dev/null')).toBe('90 90 90 90 90 90 90 90 90 90 90 90');
  });
});
