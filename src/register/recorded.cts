/**
 * Everything that perf-ts does in a program of a recorded command, in each of its threads; required by `boot`
 * while the recorder runs. Whatever fails here is left undone: the program comes first.
 */

// biome-ignore-all lint/style/noCommonJs: loaded by a preload of --require.
import type { Session } from './session.cts';

const { loadOwn, sendCode } = require('./code-events.cjs') as typeof import('./code-events.cts');
type CodeEventsLibrary = ReturnType<typeof loadOwn>;

/** The errno as the code-events library writes it. */
const ECONNREFUSED = '111';

/**
 * Watches children, workers and marks before V8 reports its code: of the modules of Node that come with these each
 * function would be a record and a frame of its own, which takes longer than all else here. Until code is sent nothing is
 * recorded.
 */
exports.begin = (session: Session, hasEnded: (recorder: string) => boolean): void => {
  const { socket, recorder } = session;
  let library = socket === undefined ? null : libraryHere();
  const isRecorded = (): boolean =>
    library === null ? recorder === undefined || !hasEnded(recorder) : library.sends();
  const { watchChildren } = require('./children.cjs') as typeof import('./children.cts');
  const { watchWorkers } = require('./workers.cjs') as typeof import('./workers.cts');
  attempt(() => watchChildren(session, isRecorded));
  attempt(() => watchWorkers(session, isRecorded));
  if (library !== null && socket !== undefined) {
    if (!reportAll(library, socket, pidOf(recorder))) library = null;
  } else if (socket === undefined) {
    const { noteSources } = require('./with-map.cjs') as typeof import('./with-map.cts');
    attempt(() => noteSources(session));
  }
};

/** Some Node's modules may look different: what is watched there stays without notes. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The program runs as it does without us.
  }
}

/** Null for a V8 of another kind, which its children need not have. */
function libraryHere(): CodeEventsLibrary | null {
  try {
    return loadOwn();
  } catch {
    return null;
  }
}

/** Sends this thread's code and marks; false where its code can't be sent, though the recorder is there. */
function reportAll(library: CodeEventsLibrary, socket: string, pid: number): boolean {
  const { noteThread } = require('./thread-note.cjs') as typeof import('./thread-note.cts');
  const { watchMarks } = require('./marks.cjs') as typeof import('./marks.cts');
  let endMarks = (): void => {};
  attempt(() => {
    endMarks = watchMarks(require, library, socket);
  });
  const early: (object | null)[] = [];
  let write = (note: object | null): void => void early.push(note);
  attempt(() => noteThread({ write: (note) => write(note) }, true));
  try {
    sendCode(library, socket, pid, endMarks);
  } catch (error) {
    endMarks();
    return (error as NodeJS.ErrnoException).code === ECONNREFUSED;
  }
  write = (note) => library.note(JSON.stringify(note));
  early.forEach(write);
  return true;
}

/** The recorder's pid, if this process is in its PID namespace; 0 otherwise. */
function pidOf(recorder = ''): number {
  const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');
  const [pid, , namespace] = recorder.split('-');
  try {
    return fs.readlinkSync('/proc/self/ns/pid') === `pid:[${namespace}]` ? Number(pid) : 0;
  } catch {
    return 0;
  }
}

export declare function begin(session: Session, hasEnded: (recorder: string) => boolean): void;
