import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FailedError } from '../../../src/base/errors.ts';
import { checkWritable, OutputFile } from '../../../src/system/files/output-file.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-output-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const bytes = (text: string) => new TextEncoder().encode(text);

/** A folder of its own, and the path of a recording in it. */
function place(): { folder: string; path: string } {
  const folder = mkdtempSync(join(scratch, 'place-'));
  return { folder, path: join(folder, 'perf.data') };
}

/** Makes the recording `text` at `path`. */
function record(path: string, text: string): void {
  const file = OutputFile.create(path, null);
  file.write(bytes(text), 0);
  file.close();
}

describe('the output file', () => {
  it('the output file is readable by its owner only, whatever the umask says', () => {
    const { path } = place();
    const umask = process.umask(0);
    record(path, 'new');
    process.umask(umask);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('the output file is written at positions and measured', () => {
    const { path } = place();
    const file = OutputFile.create(path, null);
    file.write(bytes('records'), 4);
    file.write(bytes('head'), 0);
    expect(file.size()).toBe(11);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('headrecords');
  });

  it('an output file finds its path after others have replaced it', () => {
    const { path } = place();
    const first = OutputFile.create(path, null);
    expect(first.place()).toBe(path);
    const second = OutputFile.create(path, null);
    expect([first.place(), second.place()]).toEqual([`${path}.old`, path]);
    // The command of the first could not be started: nothing of the second goes.
    first.discard();
    expect(readdirSync(join(path, '..'))).toEqual(['perf.data']);
    expect([first.place(), second.place()]).toEqual([null, path]);
    second.close();
  });

  it('the output file moves the file before it aside, and only that one', () => {
    const { folder, path } = place();
    record(path, 'first');
    record(path, 'second');
    record(path, 'third');
    expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
    expect(readFileSync(path, 'utf8')).toBe('third');
    expect(readFileSync(`${path}.old`, 'utf8')).toBe('second');
  });

  it('the output file is never written through a symbolic link', () => {
    const { folder, path } = place();
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, path);
    record(path, 'recording');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(path).isFile()).toBe(true);
    expect(lstatSync(`${path}.old`).isSymbolicLink()).toBe(true);
  });

  it('the output file takes the place of a dangling link without making its target', () => {
    const { folder, path } = place();
    symlinkSync(join(folder, 'nothing'), path);
    record(path, 'recording');
    expect(existsSync(join(folder, 'nothing'))).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('recording');
  });

  it('the output file moves a FIFO aside unopened', () => {
    const { path } = place();
    execFileSync('mkfifo', [path]);
    // Opening it would wait for the other end.
    record(path, 'recording');
    expect(lstatSync(`${path}.old`).isFIFO()).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('recording');
  });

  it('the output file replaces the directory entry of an older link at .old, not its target', () => {
    const { folder, path } = place();
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, `${path}.old`);
    record(path, 'first');
    record(path, 'second');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(`${path}.old`, 'utf8')).toBe('first');
  });

  it('a discarded output leaves everything as it was', () => {
    const { folder, path } = place();
    record(path, 'kept');
    OutputFile.create(path, null).discard();
    expect(readdirSync(folder)).toEqual(['perf.data']);
    expect(readFileSync(path, 'utf8')).toBe('kept');
    rmSync(path);
    OutputFile.create(path, null).discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a discarded output leaves the two earlier ones as they were', () => {
    const { folder, path } = place();
    record(path, 'the last but one');
    record(path, 'the last');
    OutputFile.create(path, null).discard();
    expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
    expect(readFileSync(path, 'utf8')).toBe('the last');
    expect(readFileSync(`${path}.old`, 'utf8')).toBe('the last but one');
  });

  it('the second-last output is removed once the recording has begun', () => {
    const { folder, path } = place();
    record(path, 'the last but one');
    record(path, 'the last');
    const file = OutputFile.create(path, null);
    expect(readdirSync(folder)).toHaveLength(3);
    file.keep();
    expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
    expect(readFileSync(`${path}.old`, 'utf8')).toBe('the last');
    file.close();
  });

  it('the output file stays in its folder when another one is put at the path of that', () => {
    const { folder, path } = place();
    const file = OutputFile.create(path, null);
    const victim = join(scratch, 'victim');
    mkdirSync(victim);
    writeFileSync(join(victim, 'perf.data'), 'precious');
    renameSync(folder, `${folder}-moved`);
    symlinkSync(victim, folder);
    file.createBeside('.unwound').replace(file);
    file.discard();
    expect(readdirSync(victim)).toEqual(['perf.data']);
    expect(readdirSync(`${folder}-moved`)).toEqual(['perf.data']);
    expect(statSync(join(`${folder}-moved`, 'perf.data')).size).toBe(0);
  });

  it('an output file replaces nothing that another put at its name', () => {
    const { folder, path } = place();
    const file = OutputFile.create(path, null);
    const beside = file.createBeside('.unwound');
    rmSync(`${path}.unwound`);
    symlinkSync(join(folder, 'victim'), `${path}.unwound`);
    expect(() => beside.replace(file)).toThrow('removed what was to take its place');
    beside.discard();
    expect(lstatSync(path).isFile()).toBe(true);
    expect(lstatSync(`${path}.unwound`).isSymbolicLink()).toBe(true);
    file.close();
  });

  it.runIf(isRoot)('the output file belongs to the user who asked for it', () => {
    const { path } = place();
    OutputFile.create(path, { uid: 12_345, gid: 23_456 }).close();
    const { uid, gid } = statSync(path);
    expect([uid, gid]).toEqual([12_345, 23_456]);
  });
});

describe('a place that cannot be written', () => {
  /** The message and what to do, without the scratch folder. */
  const failure = (path: string): string => {
    try {
      checkWritable(path);
      OutputFile.create(path, null).close();
    } catch (error) {
      expect(error).toBeInstanceOf(FailedError);
      const { message, hints } = error as FailedError;
      return `${message}; ${hints}`.replaceAll(scratch, '…');
    }
    return 'written';
  };
  const hint = 'name a place you may write to with output';

  it('an unwritable place is reported before anything is started', () => {
    mkdirSync(join(scratch, 'folder'), { recursive: true });
    writeFileSync(join(scratch, 'file'), '');
    expect(
      ['folder', 'none/perf.data', 'file/perf.data'].map((at) => failure(join(scratch, at))),
    ).toEqual([
      'cannot write …/folder: it is a directory; name a file with output',
      `cannot write …/none/perf.data: the directory does not exist; ${hint}`,
      `cannot write …/file/perf.data: a part of the path is not a directory; ${hint}`,
    ]);
    expect(failure('/dev/null')).toBe(
      'cannot write /dev/null: it is a device; name a file with output, or - for standard output',
    );
    expect(existsSync('/dev/null')).toBe(true);
  });

  it.skipIf(isRoot)("another user's folder is an unwritable place", () => {
    const { folder, path } = place();
    chmodSync(folder, 0o500);
    expect(failure(path)).toContain(`permission denied; ${hint}`);
  });

  it('a place that cannot be written keeps the recording before it where it is', () => {
    const { folder, path } = place();
    record(path, 'kept');
    const blocked = `${path}.old`;
    mkdirSync(blocked);
    expect(failure(path).replaceAll(`/${folder.split('/').at(-1)}/`, '/')).toBe(
      'cannot write …/perf.data: what is there would become …/perf.data.old, and that is a ' +
        'directory; move …/perf.data.old away, or name another file with output',
    );
    expect(readFileSync(path, 'utf8')).toBe('kept');
    expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
  });
});
