import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { LiveProfile } from '../../../src/tools/live-profile/live-profile.ts';
import { finishedRound, perfDataFile, plainSample } from '../../helpers/record-builder.ts';

const { IDENTIFIER, IP, TID, TIME } = PERF_SAMPLE;
const sampleType = IDENTIFIER | IP | TID | TIME;
const START = 0x10_0000;
/** Pids that no process can have. */
const PIDS = [2 ** 22 + 1, 2 ** 22 + 2];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'out-of-reach-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A live profile of processes that map the file at `path`, as it is now, and are sampled at its entry. */
function profileOf(path: string) {
  const attr = newAttr({ samplePeriod: 1000, sampleType, flags: { sampleIdAll: true } });
  const head = perfDataFile({ attrs: [{ attr, ids: [5] }], records: [] });
  const live = new LiveProfile(openPerfData(memorySource(head)));
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  const entry = Number(readFileSync(path).readBigUInt64LE(24));
  const [major, minor, inode] = execFileSync('stat', ['-c', '%Hd %Ld %i', path], {
    encoding: 'utf8',
  })
    .trim()
    .split(' ');
  const fileId = { major: Number(major), minor: Number(minor), inode, inodeGeneration: '0' };
  let time = 100;
  /** The name at the entry, in the window in which a process of this pid runs. */
  return (pid: number): string => {
    const mapping = {
      pid,
      tid: pid,
      address: START,
      length: 1 << 20,
      fileOffset: 0,
      filename: path,
    };
    const trailer = { id: 5, time: time++ };
    live.feed(encoder.comm({ pid, tid: pid, comm: 'app', isExec: true }, trailer));
    live.feed(encoder.mmap2({ ...mapping, prot: 5, flags: 2, fileId }, trailer));
    live.feed(plainSample({ id: 5, ip: START + entry, pid, tid: pid, time: time++ }));
    for (let i = 0; i < 2; i++) live.feed(finishedRound());
    const { samples, stacks, frames, funcs, strings } = live.takeSlice();
    return strings[funcs.name[frames.func[stacks.frame[samples.stack[0]]]]];
  };
}

describe('a file that is out of reach', () => {
  test('a file that could not be had is looked for again when another process maps it', () => {
    const path = join(folder, 'app');
    copyFileSync('/bin/cat', path);
    const nameFor = profileOf(path);
    renameSync(path, join(folder, 'away'));
    const without = nameFor(PIDS[0]);
    renameSync(join(folder, 'away'), path);
    const found = nameFor(PIDS[1]);
    expect(found).not.toBe(without);
    expect(found).toMatch(/^(?:_start|sub_[0-9a-f]+)$/);
  });

  test('a file of the same path that is not the mapped one gives no names', () => {
    const path = join(folder, 'app');
    copyFileSync('/bin/cat', path);
    const nameFor = profileOf(path);
    renameSync(path, join(folder, 'away'));
    const without = nameFor(PIDS[0]);
    copyFileSync('/bin/cat', path);
    expect(nameFor(PIDS[1])).toBe(without);
  });
});
