/**
 * Everything that perf-ts does in a program of a recorded command, in each of its threads; required by `boot`
 * while the recorder runs. Whatever fails here is left undone: the program comes first.
 */

// biome-ignore-all lint/style/noCommonJs: loaded by a preload of --require.
import type { Session } from './session.cts';

const { sendCode } = require('./code-events.cjs') as typeof import('./code-events.cts');
type CodeEventsLibrary = ReturnType<typeof sendCode>;

/** The errno as the code-events library writes it. */
const ECONNREFUSED = '111';

exports.begin = (session: Session, hasEnded: (recorder: string) => boolean): void => {
  const { socket, recorder } = session;
  // Before any other module: what V8 has compiled before has no name, and loading modules makes Node's own
  // loader hot, which stands in the stacks of all that a program requires.
  let endMarks = (): void => {};
  const library =
    socket === undefined ? null : reportCode(socket, pidOf(recorder), () => endMarks());
  if (library === 'ended') return;
  if (library !== null) {
    const { noteThread } = require('./thread-note.cjs') as typeof import('./thread-note.cts');
    const write = (note: object): void => library.note(JSON.stringify(note));
    attempt(() => noteThread({ write }, true));
    const { watchMarks } = require('./marks.cjs') as typeof import('./marks.cts');
    attempt(() => {
      endMarks = watchMarks(require, library);
    });
  } else if (socket === undefined) {
    const { noteSources } = require('./with-map.cjs') as typeof import('./with-map.cts');
    attempt(() => noteSources(session));
  }
  const isRecorded = (): boolean =>
    library === null ? recorder === undefined || !hasEnded(recorder) : library.sends();
  const { watchChildren } = require('./children.cjs') as typeof import('./children.cts');
  const { watchWorkers } = require('./workers.cjs') as typeof import('./workers.cts');
  attempt(() => watchChildren(session, isRecorded));
  attempt(() => watchWorkers(session, isRecorded));
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
function reportCode(
  socket: string,
  pid: number,
  onEnd: () => void,
): CodeEventsLibrary | 'ended' | null {
  try {
    return sendCode(socket, pid, onEnd);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === ECONNREFUSED ? 'ended' : null;
  }
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
