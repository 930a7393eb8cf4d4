// Recordings to a pipe name their code as files do: what names it comes behind the records.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readKernelSymbols, readProvenance } from '../../src/read/facts/provenance.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { withRecording } from '../../src/read/open-recording.ts';
import { CLI, findPerf, infoOf, perfStats, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const file = join(scratch, 'stream.data');

/** Records a Node program that says its pid, through a real pipe; its perf map is gone afterwards. */
function recordStream(): void {
  const script = join(scratch, 'hot.cjs');
  writeFileSync(
    script,
    `const { statSync } = require('node:fs');
     function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
     for (let i = 0; i < 60; i++) { hot(300_000); for (let k = 0; k < 100; k++) statSync('/'); }
     console.error(process.pid);`,
  );
  const record = `"${process.execPath}" "${CLI}" record -q -g -e cpu-clock -F 2000 -o -`;
  const line = `${record} -- "${process.execPath}" "${script}" 2> pid | cat > "${file}"`;
  execFileSync('sh', ['-c', line], { cwd: scratch });
  const pid = /^\d+$/m.exec(readFileSync(join(scratch, 'pid'), 'utf8'))?.[0];
  for (const name of [`perf-${pid}.map`, `perf-ts-${pid}.notes`]) {
    rmSync(join('/tmp', name), { force: true });
  }
}

describeLive('a recording to a pipe', () => {
  it('a piped recording names its JIT code and kernel by itself, and others read it', async () => {
    recordStream();
    const { profile, diagnostics } = await openProfile(file);
    const { funcs, strings } = profile;
    const names = Array.from(funcs.name, (name) => strings[name]);
    expect(names.join('\n')).toMatch(/^hot/m);
    expect(
      diagnostics.entries().filter(({ reason }) => /damaged|can't be read/.test(reason)),
    ).toEqual([]);
    withRecording(file, (data) => {
      const provenance = readProvenance(data);
      expect(provenance?.totals['cpu-clock']).toBeGreaterThan(0);
      expect(Buffer.from(readKernelSymbols(provenance) ?? []).toString()).toMatch(
        / do_syscall_64$/m,
      );
    });
    if (findPerf() !== null) {
      expect(perfStats(file).SAMPLE).toBe(infoOf(file).records.SAMPLE);
      const stream = readFileSync(file);
      expect(perfStats('-', stream).SAMPLE).toBe(infoOf('-', stream).records.SAMPLE);
    }

    // Written again as a file or as a pipe it keeps them, unless they are to go.
    const asFile = join(scratch, 'file.data');
    expect(perfTs(['inject', file, '-o', asFile]).status).toBe(0);
    const again = execFileSync(process.execPath, [CLI, 'inject', asFile, '-o', '-'], {
      maxBuffer: 2 ** 28,
    });
    const asPipe = join(scratch, 'pipe.data');
    writeFileSync(asPipe, again);
    for (const copy of [asFile, asPipe]) {
      const copied = (await openProfile(copy)).profile;
      const copiedNames = Array.from(copied.funcs.name, (name) => copied.strings[name]);
      expect(copiedNames.join('\n'), copy).toMatch(/^hot/m);
    }
    const kernelNamesOf = (path: string) =>
      withRecording(path, (data) => readKernelSymbols(readProvenance(data)));
    expect(kernelNamesOf(asFile)).not.toBeNull();
    const stripped = join(scratch, 'stripped.data');
    expect(perfTs(['inject', '--strip-kernel', file, '-o', stripped]).status).toBe(0);
    expect(kernelNamesOf(stripped)).toBeNull();
  });
});
