import { execFileSync } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { StringTable } from '../../../src/base/string-table.ts';
import { encodeMapLog } from '../../../src/code/jit/map-log.ts';
import { ProcessTable } from '../../../src/code/process/process-table.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import {
  type Attachment,
  encodeAppendix,
  readAppendix,
} from '../../../src/formats/perf-data/appendix.ts';
import { versionSection } from '../../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE_FLAGS_OFFSET } from '../../../src/formats/perf-data/header.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { encodeFeatures, encodePrefix } from '../../../src/formats/perf-data/writer.ts';
import { encodeAttr, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { jitdumpAttachment } from '../../../src/read/jit/dump-name.ts';
import { openJitCode } from '../../../src/read/jit/jit-files.ts';
import { rewriteRecording } from '../../../src/rewrite/rewrite-recording.ts';
import { NOBODY } from '../../helpers/nobody.ts';

/** No process has such a pid. */
const PID = 2 ** 22 + process.pid;
const CODE_AT = 0x7f0000;

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'jit-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function recording(attachments: readonly Attachment[] = [], clockid = 1): Uint8Array {
  const attr = newAttr({ type: 1, samplePeriod: 1, clockid, flags: { useClockid: true } });
  const { bytes, dataOffset } = encodePrefix({
    attrs: [{ attrBytes: encodeAttr(attr), ids: [1n] }],
  });
  const features = encodeFeatures(dataOffset, [versionSection('perf-ts 0.1.0')]);
  bytes.set(features.flags, FEATURE_FLAGS_OFFSET);
  return Buffer.concat([bytes, features.bytes, ...encodeAppendix(attachments)]);
}

/** Who is at the code's address at `timeNs`, in a recording whose process mapped `mapped`. */
function nameAt(timeNs: number, mapped: readonly string[], file = recording(), archive?: string) {
  const path = join(directory, 'perf.data');
  writeFileSync(path, file);
  const diagnostics = new Diagnostics();
  const processes = new ProcessTable(new StringTable());
  for (const dump of mapped) {
    processes.mmap({
      pid: PID,
      tid: PID,
      start: 0x100000,
      length: 4096,
      fileOffset: 0,
      path: dump,
      executable: true,
      cpuMode: 'user',
      buildId: null,
      major: 0,
      minor: 0,
      inode: 0,
    });
  }
  const data = openPerfData(memorySource(file));
  const jit = openJitCode({
    data,
    processes,
    diagnostics,
    path,
    ...(archive !== undefined && { archive }),
  });
  const dso = processes.dsos.intern({ kind: 'jit', pid: PID });
  jit.advance(timeNs);
  const name = jit.isJit(dso) ? jit.resolve(jit.place(dso, CODE_AT), CODE_AT)?.name : undefined;
  const reasons = describeDiagnostics(diagnostics)
    .filter(({ reason }) => !reason.startsWith('no perf map'))
    .map(({ reason, example }) => `${reason}: ${example.replace(`${directory}/`, '')}`);
  return { name, reasons };
}

/** A jitdump with one function. */
function dumpBytes(name = 'compiled', pid = PID): Uint8Array {
  const out = new ByteWriter().u32(0x4a695444).u32(1).u32(40).u32(62).u32(0).u32(pid).u64(0).u64(0);
  out
    .u32(0)
    .u32(56 + name.length + 1 + 1)
    .u64(500)
    .u32(pid)
    .u32(pid);
  out.u64(CODE_AT).u64(CODE_AT).u64(1).u64(0).text(name).u8(0).u8(0xc3);
  return out.finish();
}

const dumpPath = (pid = PID) => join(directory, `jit-${pid}.dump`);

/** A jitdump as the recorder takes it into a recording. */
function storedDump(bytes: Uint8Array, file = `jit-${PID}.dump`): Attachment {
  const name = jitdumpAttachment(PID, file);
  return { name, packing: 'none', unpackedSize: bytes.length, bytes };
}

test('a jitdump that the recording keeps is read when the file is gone', () => {
  expect(nameAt(600, [dumpPath()], recording([storedDump(dumpBytes())]))).toEqual({
    name: 'compiled',
    reasons: [],
  });
  const other = recording([storedDump(dumpBytes('compiled', PID + 1))]);
  expect(nameAt(600, [dumpPath()], other).name).toBeUndefined();
});

test.each([[`jit-${PID + 7}-${PID}.dump`], [`jit-${PID + 7}-${PID}-a1B2c3`]])(
  'a jitdump of JavaScriptCore is known by the process in its name: %s',
  (name) => {
    const path = join(directory, name);
    writeFileSync(path, dumpBytes());
    expect(nameAt(600, [path])).toEqual({ name: 'compiled', reasons: [] });
    writeFileSync(path, dumpBytes('planted', PID + 7));
    expect(nameAt(600, [path]).reasons).toEqual([
      expect.stringContaining(`written by process ${PID + 7}, not ${PID}`),
    ]);
  },
);

test('a jitdump of JavaScriptCore whose name has other processes is refused', () => {
  const path = join(directory, `jit-${PID + 7}-${PID + 8}.dump`);
  writeFileSync(path, dumpBytes());
  const { name, reasons } = nameAt(600, [path]);
  expect(name).toBeUndefined();
  expect(reasons).toEqual([expect.stringContaining(`mapped by process ${PID}, whose it is not`)]);
});

describe('a jitdump', () => {
  test('a jitdump is read where the process mapped it', () => {
    writeFileSync(dumpPath(), dumpBytes());
    expect(nameAt(1000, [dumpPath()])).toEqual({ name: 'compiled', reasons: [] });
  });

  test('a jitdump of a recording with another clock has no times', () => {
    writeFileSync(dumpPath(), dumpBytes());
    const { name, reasons } = nameAt(1000, [dumpPath()], recording([], 0));
    expect(name).toBe('compiled');
    expect(reasons[0]).toMatch(/^jitdump of another clock, its times not used/);
  });

  test('a jitdump is also found in the archive of the recording', () => {
    const archive = join(directory, 'perf.data.symbols');
    mkdirSync(join(archive, directory), { recursive: true });
    writeFileSync(join(archive, dumpPath()), dumpBytes());
    expect(nameAt(1000, [dumpPath()], recording(), archive).name).toBe('compiled');
  });

  const refused = (make: () => void, mapped = dumpPath()) => {
    make();
    return nameAt(1000, [mapped]).reasons.map((reason) => reason.replaceAll(String(PID), 'PID'));
  };

  test('a jitdump that is gone, a link, a FIFO or a directory is not used, with a reason', () => {
    const elsewhere = join(directory, 'elsewhere');
    expect(refused(() => {})).toEqual(['jitdump not used: jit-PID.dump: a symbolic link or gone']);
    writeFileSync(elsewhere, dumpBytes());
    expect(refused(() => symlinkSync(elsewhere, dumpPath()))).toEqual([
      'jitdump not used: jit-PID.dump: a symbolic link or gone',
    ]);
    rmSync(dumpPath());
    expect(refused(() => execFileSync('mkfifo', [dumpPath()]))).toEqual([
      'jitdump not used: jit-PID.dump: not a regular file',
    ]);
    rmSync(dumpPath());
    expect(refused(() => mkdirSync(dumpPath()))).toEqual([
      'jitdump not used: jit-PID.dump: not a regular file',
    ]);
  });

  test('a jitdump behind a directory that is a link by now is not used', () => {
    const folder = join(directory, 'folder');
    mkdirSync(folder);
    const dump = join(folder, `jit-${PID}.dump`);
    writeFileSync(dump, dumpBytes());
    renameSync(folder, `${folder}.moved`);
    symlinkSync(`${folder}.moved`, folder);
    expect(nameAt(1000, [dump]).name).toBeUndefined();
  });

  test('a jitdump named for another process is not used', () => {
    writeFileSync(dumpPath(1), dumpBytes('init', 1));
    const { name, reasons } = nameAt(1000, [dumpPath(1)]);
    expect(name).toBeUndefined();
    expect(reasons).toEqual([
      `jitdump not used: jit-1.dump: mapped by process ${PID}, whose it is not`,
    ]);
  });

  test.skipIf(process.geteuid?.() !== 0)('a jitdump of another user is not used', () => {
    writeFileSync(dumpPath(), dumpBytes());
    chownSync(dumpPath(), NOBODY, NOBODY);
    expect(nameAt(1000, [dumpPath()]).reasons).toEqual([
      `jitdump not used: jit-${PID}.dump: owned by uid ${NOBODY}`,
    ]);
  });
});

/** A map of two looks, in which the second line takes the place of the first. */
const stored = (): Attachment => {
  const lines = (text: string) => new TextEncoder().encode(text);
  const log = Buffer.concat(
    encodeMapLog([
      { fromNs: 0n, toNs: 0n, isRestart: false, lines: lines('7f0000 10 before\n') },
      { fromNs: 900n, toNs: 900n, isRestart: false, lines: lines('7f0000 10 after\n') },
    ]),
  );
  return { name: `perf-map/${PID}`, packing: 'none', unpackedSize: log.length, bytes: log };
};

describe('a stored perf map', () => {
  test('time decides which code an address names', () => {
    const file = recording([stored()]);
    expect(nameAt(800, [], file).name).toBe('before');
    expect(nameAt(1000, [], file).name).toBe('after');
  });

  test('a stored perf map yields to a jitdump', () => {
    writeFileSync(dumpPath(), dumpBytes());
    expect(nameAt(1000, [dumpPath()], recording([stored()])).name).toBe('compiled');
  });

  test('a damaged stored perf map is reported', () => {
    const { bytes, ...rest } = stored();
    const cut = recording([{ ...rest, bytes: bytes.slice(0, -3) }]);
    expect(nameAt(1000, [], cut).name).toBe('before');
    const packed = recording([{ ...rest, packing: 'deflate', bytes }]);
    for (const file of [cut, packed]) {
      expect(nameAt(1000, [], file).reasons[0]).toMatch(
        /^stored (perf )?map (or notes are|is) damaged/,
      );
    }
  });

  test('an attached file stays with a recording that is written again, but not with names taken out', () => {
    const [input, output] = [join(directory, 'in.data'), join(directory, 'out.data')];
    writeFileSync(input, recording([stored()]));
    const attachments = (anonymize: boolean) => {
      rewriteRecording(input, output, { anonymize });
      return readAppendix(openPerfData(memorySource(readFileSync(output)))).map((a) => a.name);
    };
    expect(attachments(false)).toEqual([`perf-map/${PID}`]);
    expect(attachments(true)).toEqual([]);
  });
});

test('a perf map of 2 GB with nothing in it names nothing, and is not read whole', () => {
  const map = join('/tmp', `perf-${PID}.map`);
  writeFileSync(map, '');
  try {
    truncateSync(map, 2 ** 31);
    const { name, reasons } = nameAt(1000, []);
    expect(name).toBeUndefined();
    expect(reasons[0]).toMatch(/^perf map larger than 256 MiB, the rest not read/);
  } finally {
    rmSync(map, { force: true });
  }
});
