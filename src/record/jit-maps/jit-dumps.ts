import { closeSync, lstatSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatBytes } from '../../base/numbers.ts';
import { describeError } from '../../base/system-error.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';
import type { SamplerTarget } from '../../native/types.ts';
import {
  jitdumpAttachment,
  MAX_STORED_JITDUMP_BYTES,
  readJitdumpPid,
} from '../../read/jit/dump-name.ts';
import { readFully } from '../../system/files/read-some.ts';
import { openTrusted } from '../../system/files/trusted-file.ts';
import { hasEnded } from '../../system/processes/living-thread.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { listOrEmpty } from '../../system/small-file.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';
import { AttachmentPacking } from '../output/packed-attachment.ts';
import { RecordedProcesses } from './recorded-processes.ts';

/** A process has to live so long to be known for one of the recording's when it is gone. */
const LOOK_MS = 100;
/** Names of JavaScriptCore's dumps where it was told no directory: thread, process, random. */
const JSC_NAME = /^jit-\d+-(\d+)-[A-Za-z0-9]{6}$/;
/** Times of files are as coarse as the kernel's tick. */
const FILE_TICK_MS = 20;

export type JitDumpsOptions = {
  /**
   * The place to which processes write dumps because of us: `.`, each in its working directory, or the path of the
   * directory of JavaScriptCore's; null: nowhere.
   */
  readonly dumpsIn: string | null;
  readonly target: SamplerTarget;
  readonly childPid: number;
  readonly commandUid: number | null;
  readonly startedMs: number;
};

/** A dump that was stored. */
type Stored = { readonly path: string; readonly pid: number; readonly inode: number };

/**
 * The jitdumps that processes of the recording write because of us: taken into the recording when it
 * ends, then removed. V8 has one in the working directory of each process, JavaScriptCore in the directory for
 * temporary files.
 */
export class JitDumps {
  readonly #options: JitDumpsOptions;
  readonly #processes: RecordedProcesses;
  readonly #stored = new Map<string, Stored>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: JitDumpsOptions) {
    this.#options = options;
    this.#processes = new RecordedProcesses(options.target, options.childPid);
  }

  /** Call it before the target runs. */
  start(): void {
    const { dumpsIn } = this.#options;
    if (dumpsIn === null || dumpsIn === '.') return;
    this.#timer = setInterval(() => this.#dumpsOfJsc(dumpsIn), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /**
   * The dumps as far as they are written; `directories`: where processes that the recording started
   * were when they began. With `say` what became of them is reported.
   */
  take(
    directories: ReadonlyMap<number, string>,
    notify: (notice: string) => void = () => {},
    packing = new AttachmentPacking(),
  ): Attachment[] {
    const attachments: Attachment[] = [];
    let room = MAX_STORED_JITDUMP_BYTES;
    let written = 0;
    for (const { path, pid } of this.#candidates(directories)) {
      const taken = this.#takeOne(path, pid, room, notify, packing);
      if (taken === null) continue;
      const { attachment, size } = taken;
      attachments.push(attachment);
      written += size;
      room -= attachment.unpackedSize;
      if (!hasEnded(pid)) {
        notify(
          `${path}: process ${pid} runs on, and writes its dump in blocks: code of the last moments ` +
            'may be without names',
        );
      }
    }
    if (attachments.length > 0) {
      const packed = attachments.reduce((sum, { bytes }) => sum + bytes.length, 0);
      const files = attachments.length === 1 ? 'a jitdump' : `${attachments.length} jitdumps`;
      notify(`${files} of ${formatBytes(written)}: ${formatBytes(packed)} in the recording`);
    }
    return attachments;
  }

  /** Removes what was stored, of processes that have ended. Call it again when others have. */
  remove(): void {
    for (const { path, pid, inode } of this.#stored.values()) {
      if (!hasEnded(pid) || silentPlaces.mayWait(path)) continue;
      this.#stored.delete(path);
      try {
        const stat = lstatSync(path);
        const isNew = stat.mtimeMs >= this.#options.startedMs - FILE_TICK_MS;
        if (stat.isFile() && stat.ino === inode && isNew) unlinkSync(path);
      } catch {
        // Gone, or not ours to remove: it stays.
      }
    }
  }

  #candidates(directories: ReadonlyMap<number, string>): { path: string; pid: number }[] {
    const { dumpsIn, childPid } = this.#options;
    if (dumpsIn === null) return [];
    if (dumpsIn !== '.') return this.#dumpsOfJsc(dumpsIn);
    // Without its notes the command itself is where we are.
    const all = new Map([[childPid, process.cwd()], ...directories]);
    return [...all].flatMap(([pid, folder]) =>
      silentPlaces.mayWait(folder) ? [] : [{ path: join(folder, `jit-${pid}.dump`), pid }],
    );
  }

  /** Each look finds out whose the dumps are while their processes live. */
  #dumpsOfJsc(directory: string): { path: string; pid: number }[] {
    const { startedMs } = this.#options;
    if (silentPlaces.mayWait(directory)) return [];
    return listOrEmpty(directory).flatMap((name) => {
      const pid = Number(JSC_NAME.exec(name)?.[1]);
      const path = join(directory, name);
      const stat = Number.isNaN(pid) ? undefined : lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined || stat.mtimeMs < startedMs - FILE_TICK_MS) return [];
      return this.#processes.has(pid) === true ? [{ path, pid }] : [];
    });
  }

  #takeOne(
    path: string,
    pid: number,
    room: number,
    notify: (notice: string) => void,
    packing: AttachmentPacking,
  ): { attachment: Attachment; size: number } | null {
    const { commandUid } = this.#options;
    const owners = [uidOfProcess(pid), commandUid].filter((uid) => uid !== null);
    const file = openTrusted(path, owners);
    if (file.kind === 'refused') {
      if (file.reason !== 'ENOENT') notify(`jitdump not used: ${path}: ${file.reason}`);
      return null;
    }
    try {
      const bytes = new Uint8Array(Math.min(file.size, room));
      const read = bytes.subarray(0, readFully(file.fd, bytes, 0));
      if (readJitdumpPid(read) !== pid) return null;
      if (read.length < file.size) {
        notify(
          `${path} has ${formatBytes(file.size)}: the first ${formatBytes(read.length)} are kept, and ` +
            'code behind them will have no names',
        );
      }
      this.#stored.set(path, { path, pid, inode: file.inode });
      const attachment = packing.pack(jitdumpAttachment(pid, basename(path)), read);
      return { attachment, size: file.size };
    } catch (error) {
      notify(`jitdump not used: ${path}: ${describeError(error)}`);
      return null;
    } finally {
      closeSync(file.fd);
    }
  }
}
