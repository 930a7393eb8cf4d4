import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { FailedError } from '../../src/base/errors.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { listRecordings } from '../../src/read/list-recordings.ts';
import { readInfo } from '../../src/read/recording-info.ts';
import { perfDataFile } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const RECORDING = join(import.meta.dirname, 'fixtures/arm64-group.data');

describe('the recordings of a folder', () => {
  it('recordings are listed newest first, with command and length, and nothing else of the folder is', () => {
    const folder = scratchDirectory();
    const at = (name: string) => join(folder, name);
    const put = (name: string, second: number) => utimesSync(at(name), second, second);
    copyFileSync(RECORDING, at('old.data'));
    put('old.data', 1000);
    writeFileSync(at('damaged.data'), 'PERFILE2 and no more');
    put('damaged.data', 2000);
    const times = new ByteWriter(true).u64(1_000_000_000).u64(3_500_000_000).finish();
    writeFileSync(
      at('timed.data'),
      perfDataFile({ attrs: [], records: [], features: [[FEATURE.SAMPLE_TIME, times]] }),
    );
    put('timed.data', 2500);
    writeFileSync(at('page.cpuprofile'), '{');
    put('page.cpuprofile', 3000);
    writeFileSync(at('notes.txt'), 'main;work 3\n');
    writeFileSync(at('empty.folded'), '');
    mkdirSync(at('folder.folded'));
    symlinkSync(RECORDING, at('link.data'));
    // Opened, it would wait for a writer for ever.
    execFileSync('mkfifo', [at('pipe.folded')]);

    const listed = listRecordings(folder);
    expect(listed.map(({ name, changedMs }) => [name, changedMs])).toStrictEqual([
      ['page.cpuprofile', 3e6],
      ['timed.data', 2.5e6],
      ['damaged.data', 2e6],
      ['old.data', 1e6],
    ]);
    expect(listed[0]).toMatchObject({ commandLine: [], lengthNs: null, bytes: 1 });
    expect(listed[1].lengthNs).toBe(2_500_000_000);
    const { cmdline } = readInfo(RECORDING);
    expect(cmdline.length).toBeGreaterThan(0);
    expect(listed[3].commandLine).toStrictEqual(cmdline);
  });

  it('the list has at most 200 recordings', () => {
    const folder = scratchDirectory();
    for (let i = 0; i < 203; i++) writeFileSync(join(folder, `${i}.folded`), 'a 1\n');
    expect(listRecordings(folder)).toHaveLength(200);
  });

  it('a folder that is not there is an error', () => {
    expect(() => listRecordings(join(scratchDirectory(), 'none'))).toThrow(FailedError);
  });
});
