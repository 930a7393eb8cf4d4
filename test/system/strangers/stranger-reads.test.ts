import { afterEach, describe, expect, it } from 'vitest';
import { StrangerReads } from '../../../src/system/strangers/stranger-reads.ts';
import { scratchDirectory } from '../../helpers/cli.ts';
import { canServeSilently, type SilentProcess, startSilent } from '../../helpers/silent-files.ts';
import { until } from '../../helpers/tasks.ts';

const silent: SilentProcess[] = [];
const opened: StrangerReads[] = [];
afterEach(async () => {
  for (const process of silent.splice(0)) await process.end();
  for (const reads of opened.splice(0)) reads.giveUp();
});

function openReads(): StrangerReads {
  const reads = new StrangerReads();
  opened.push(reads);
  return reads;
}

describe('what another process holds and serves', () => {
  it('files and sockets of another process are read by a helper', async () => {
    const reads = openReads();
    expect(await reads.commandLine(process.pid)).toContain(process.execPath);
    expect(await reads.environment(process.pid)).toContain(`PATH=${process.env.PATH}`);
    expect(await reads.workingFolder(process.pid)).toBe(process.cwd());
    expect(await reads.identity(process.pid, ['PATH'], '[stack]')).toEqual({
      variables: [`PATH=${process.env.PATH}`],
      words: await reads.commandLine(process.pid),
      maps: expect.stringMatching(/ r-xp .*\[stack\]/s),
    });
    expect((await reads.identity(process.pid, [], 'no such area'))?.maps).toBe('');
    const [text] = await reads.filesAbove(process.pid, `${process.cwd()}/src`, 'package.json');
    expect(JSON.parse(text).name).toBe('perf-ts');
    expect(await reads.memory(process.pid, 0n, 16)).toBeNull();
    expect(await reads.environment(2 ** 30)).toEqual(['']);
  });

  it('a helper that starts goes on when nobody waits for its answer any more', async () => {
    const reads = openReads();
    const early = reads.identity(process.pid, [], '');
    reads.stopWaiting();
    expect(await early).toBeNull();
    expect(reads.abandoned).toBe(0);
    const late = reads.commandLine(process.pid);
    const dropped = reads.commandLine(process.pid);
    expect(await late).toContain(process.execPath);
    reads.stopWaiting();
    expect(await dropped).toEqual(['']);
    // The answer to the question that nobody waited for is not taken for this one's.
    expect(await reads.workingFolder(process.pid)).toBe(process.cwd());
    expect(reads.abandoned).toBe(0);
  });

  it.skipIf(!canServeSilently)(
    'another process holds a helper in the kernel where its memory is a page of a file that nobody serves, and nobody else',
    async () => {
      const reads = openReads();
      const other = await startSilent(scratchDirectory(), 'page');
      silent.push(other);
      const [bytes, environment] = await Promise.all([
        reads.memory(other.pid, other.page, 16),
        reads.environment(process.pid),
      ]);
      expect(bytes).toBeNull();
      expect(environment).toContain(`PATH=${process.env.PATH}`);
      expect(reads.abandoned).toBe(1);
      // It is not asked a second time.
      expect(await reads.memory(other.pid, other.page, 16)).toBeNull();
      expect(reads.abandoned).toBe(1);
      await silent.splice(0)[0].end();
      await until(() => reads.abandoned === 0);
    },
  );

  it.skipIf(!canServeSilently)(
    'another process holds a helper where names of its file system are not answered',
    async () => {
      const reads = openReads();
      const folder = scratchDirectory();
      const other = await startSilent(folder, 'name');
      silent.push(other);
      expect(await reads.filesAbove(other.pid, folder, 'package.json')).toEqual([]);
      expect(await reads.commandLine(process.pid)).toContain(process.execPath);
    },
  );
});
