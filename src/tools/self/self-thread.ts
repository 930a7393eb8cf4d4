// The thread of `profileSelf`: records its own process, reads the recording, writes the profile.

import { closeSync, openSync, readlinkSync, rmdirSync, unlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { packError } from '../../base/sent-error.ts';
import type { SelfProfileOptions } from '../../options/self.ts';
import type { ProfileThread } from '../../profile/types.ts';
import { type OpenedProfile, openProfile } from '../../read/open-profile.ts';
import { exportPprof } from '../../read/outputs/export-pprof.ts';
import { explainExport, exportProfile } from '../../read/outputs/export-profile.ts';
import { startRecording } from '../../record/recorder.ts';
import type { SelfReply, SelfRequest, SelfThreadData } from './self-messages.ts';

const DEFAULT_HZ = 999;
/** An hour of a busy thread; more would fill the folder of temporary files. */
const MAX_BYTES = 2 ** 30;
/** Priority on the scale from −20 to 19, where 0 is usual: the program goes first. */
const REPORT_PRIORITY = 5;

if (parentPort !== null) void answer(parentPort, workerData as SelfThreadData);

async function answer(port: MessagePort, { folder, options }: SelfThreadData): Promise<void> {
  const reply = (message: SelfReply, move: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, move);
  const notify = (text: string) => reply({ kind: 'notice', text });
  try {
    const { fd, ended } = await startNameless(join(folder, 'self.data'), options, port, notify);
    reply({ kind: 'sampling' });
    await ended;
    reply({ kind: 'sampled' });
    const bytes = await readBack(fd, options, notify);
    reply({ kind: 'finished', bytes }, [bytes.buffer as ArrayBuffer]);
  } catch (error) {
    reply({ kind: 'failed', error: packError(error) });
  }
}

/** A recording that runs, open and without a name: nothing is left of it when the process ends. */
type NamelessRecording = { readonly fd: number; readonly ended: Promise<void> };

async function startNameless(
  path: string,
  { seconds, freq, events, offCpu }: SelfThreadData['options'],
  port: MessagePort,
  notify: (notice: string) => void,
): Promise<NamelessRecording> {
  const running = await startRecording({
    pids: [process.pid],
    output: path,
    callGraph: 'fp',
    freq: freq ?? DEFAULT_HZ,
    maxBytes: MAX_BYTES,
    ...(seconds !== undefined && { durationMs: seconds * 1000 }),
    ...(events !== undefined && { events }),
    ...(offCpu !== undefined && { offCpu }),
    onNotice: notify,
  });
  const fd = openSync(path, 'r');
  unlinkSync(path);
  rmdirSync(dirname(path));
  port.on('message', ({ kind }: SelfRequest) => {
    if (kind === 'stop') running.stop();
  });
  const ended = running.finished.then(({ endReason, writeErrno }) => {
    if (endReason === 'size-limit') notify(`the recording was ended at ${MAX_BYTES / 2 ** 20} MiB`);
    if (endReason === 'write-error') {
      notify(`the recording was ended: it could not be written (errno ${writeErrno})`);
    }
  });
  return { fd, ended };
}

async function readBack(
  fd: number,
  options: SelfThreadData['options'],
  notify: (notice: string) => void,
): Promise<Uint8Array> {
  // Priority of this thread: Linux gives each its own.
  setPriority(REPORT_PRIORITY);
  try {
    const opened = await openProfile(`/proc/self/fd/${fd}`, {
      lines: options.format !== 'folded',
    });
    return await write(opened, options, notify);
  } finally {
    closeSync(fd);
  }
}

async function write(
  opened: OpenedProfile,
  { format, title }: Pick<SelfProfileOptions, 'format' | 'title'>,
  notify: (notice: string) => void,
): Promise<Uint8Array> {
  const select = { threads: programThreads(opened.profile.threads) };
  const shown = { select, ...(title !== undefined && { title }) };
  if (format === 'pprof') return ownBytes(await exportPprof(opened, shown));
  for (const sentence of explainExport(opened, format, shown)) notify(sentence);
  const pieces: Buffer[] = [];
  exportProfile(opened, format, shown, (text) => pieces.push(Buffer.from(text)));
  return ownBytes(Buffer.concat(pieces));
}

/**
 * Rows of the threads of this process that are the program's: not this one, nor those of the addon and the library.
 * Processes that it has started meanwhile are in the recording as well.
 */
function programThreads(threads: readonly ProfileThread[]): ReadonlySet<number> {
  const ownTid = Number(readlinkSync('/proc/thread-self').split('/').pop());
  const isOurs = ({ tid, comm }: ProfileThread) => tid === ownTid || comm.startsWith('perf-ts');
  const rows = threads.flatMap((thread, row) =>
    thread.pid === process.pid && !isOurs(thread) ? [row] : [],
  );
  return new Set(rows);
}

/** Copies into a buffer of its own, which can be moved to another thread. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
