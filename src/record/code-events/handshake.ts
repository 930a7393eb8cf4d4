// A program of its own, `node handshake.js PID JSON`: opens the inspector of a Node process, makes the
// process take in the code-events library, and closes the inspector again. It is no child that dies with
// perf-ts: whatever becomes of that, the port is closed. Prints one line of JSON.

import { existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FailedError, messageOf } from '../../base/errors.ts';
import { parseForeignJson } from '../../base/foreign-json.ts';
import { describeError } from '../../base/system-error.ts';
import type { TakeIn, TakenIn } from '../../register/take-in.cts';
import { codeEventsModule, takeInModule } from '../../system/runtimes/register-modules.ts';
import { readTextOrEmpty } from '../../system/small-file.ts';
import { type HandshakeResult, readTakenIn } from './handshake-result.ts';
import { Inspector } from './inspector.ts';
import { isPortTaken, listeningPorts } from './listening-ports.ts';
import { type InspectorFacts, likeliestFirst, takesSignal } from './open-inspector.ts';

/** The program may be busy in native code, where V8 is not asked. */
const OPEN_MS = 5000;
/** A program whose event loop turns has opened it by then: the program's own ports are asked only behind that. */
const SOON_MS = 400;
const FREE_MS = 3000;
/** Each of the handshakes before has its port for some 50 ms, and for seconds where the CPUs are overloaded. */
const TURN_MS = 10_000;
/** How long a process that did nothing yet is watched for the inspector that it opens when it goes on. */
const LATE_MS = 600_000;
const LOOK_MS = 2;
/** A look costs a millisecond: the pauses between two grow by a tenth, up to this while somebody waits, … */
const MOST_WAITING_LOOK_MS = 30;
/** … and up to this when nobody does any more. */
const MOST_LOOK_MS = 1000;
/** The main thread closes its inspector at once, unless it is in native code. */
const CLOSE_MS = 500;
/** How long a server that may be the inspector is waited for. */
const LOOK_FOR_MS = 1000;

/** Its options besides the pid. */
export type HandshakeOptions = Omit<TakeIn, 'library' | 'closesInspector'> &
  Pick<InspectorFacts, 'openPorts' | 'usualPort'>;

async function takeIn(pid: number, options: HandshakeOptions): Promise<HandshakeResult> {
  if (!seesLibrary(pid)) {
    throw new FailedError(
      'it sees other files (a container): import perf-ts/register in it, or run perf-ts there',
    );
  }
  const given = await connectToOpen(options.openPorts);
  if (given !== null) return { taken: await evaluateAndLeaveOpen(given, options) };
  const turn = await takeTurn(options.usualPort);
  try {
    return await takeInBySignal(pid, options);
  } finally {
    turn.close();
  }
}

/** Whether the process finds the same library at its path: a service of systemd has its own mounts of the same files. */
function seesLibrary(pid: number): boolean {
  const library = codeEventsModule().codeEventsLibrary();
  if (library === null) return true;
  const [here, there] = ['', `/proc/${pid}/root`].map((root) =>
    statSync(root + library, { throwIfNoEntry: false }),
  );
  return there?.ino === here?.ino && there?.dev === here?.dev;
}

async function takeInBySignal(pid: number, options: HandshakeOptions): Promise<HandshakeResult> {
  const { openPorts, usualPort, socket } = options;
  if ([...listeningPorts(pid).values()].includes(usualPort)) {
    throw new FailedError(
      `it listens on port ${usualPort} itself, and no inspector answers there on 127.0.0.1`,
    );
  }
  await untilFree(pid, usualPort);
  if (!readTextOrEmpty('/proc/net/unix').includes(socket)) {
    throw new FailedError('the recording has ended');
  }
  const before = listeningPorts(pid);
  // It may have become another program while the port was taken.
  const status = readTextOrEmpty(`/proc/${pid}/status`);
  if (!takesSignal(status)) {
    throw new FailedError(status === '' ? 'it has ended' : 'it does not take SIGUSR1 any more');
  }
  try {
    process.kill(pid, 'SIGUSR1');
  } catch (error) {
    throw new FailedError(`SIGUSR1 can't be sent to it (CAP_KILL): ${describeError(error)}`);
  }
  let port = await openedPort(pid, before, SOON_MS, MOST_WAITING_LOOK_MS);
  if (port === null) {
    // Node before 24 does not show that its inspector is open; then the signal does nothing.
    const found = await connectToOpen(likeliestFirst([...before.values()], usualPort));
    if (found !== null) return { taken: await evaluateAndLeaveOpen(found, options) };
    port = await openedPort(pid, before, OPEN_MS - SOON_MS, MOST_WAITING_LOOK_MS);
  }
  if (port === null) {
    void closeLate(pid, before);
    throw new FailedError(
      openPorts.length > 0
        ? 'its inspector is open already, at no port of 127.0.0.1'
        : 'it opened no inspector on SIGUSR1: it handles that signal itself, or is stopped or in native code',
    );
  }
  const inspector = await Inspector.connect(port);
  let result: HandshakeResult;
  try {
    result = { taken: await evaluate(inspector, options, true) };
  } catch (error) {
    result = failureOf(error);
  }
  // The session keeps this program running until the inspector is closed, whoever waits for the answer.
  const isClosed = await Promise.race([
    inspector.closeInspector().then(() => true),
    sleep(CLOSE_MS, false, { ref: false }),
  ]);
  return 'taken' in result ? { ...result, hasOpenInspector: !isClosed } : result;
}

function failureOf(error: unknown): HandshakeResult {
  return { failure: messageOf(error) };
}

/** Connects to an inspector that the process has at one of these ports; null where it has none. */
async function connectToOpen(ports: readonly number[]): Promise<Inspector | null> {
  for (const port of ports) {
    const inspector = await Inspector.connect(port, LOOK_FOR_MS).catch(() => null);
    if (inspector !== null) return inspector;
  }
  return null;
}

async function evaluateAndLeaveOpen(
  inspector: Inspector,
  options: HandshakeOptions,
): Promise<TakenIn> {
  try {
    return await evaluate(inspector, options, false);
  } finally {
    inspector.close();
  }
}

async function evaluate(
  inspector: Inspector,
  { socket, yields = false }: HandshakeOptions,
  closesInspector: boolean,
): Promise<TakenIn> {
  const library = codeEventsModule().codeEventsLibrary();
  if (library === null)
    throw new FailedError('perf-ts has no code-events library for this machine');
  const options: TakeIn = { socket, yields, library, closesInspector };
  const answer = await inspector.evaluate(takeInModule().takeInExpression(options));
  const taken = readTakenIn(parseForeignJson(`${answer}`));
  if (taken === null) throw new FailedError('it answers with nothing that is understood');
  return taken;
}

/**
 * The turn of this handshake among those of all recorders in the network namespace: of two processes that are signalled
 * while the port is free, the second opens no inspector. Anybody may hold the name, so that who has waited long goes on.
 */
async function takeTurn(port: number): Promise<Server> {
  for (const end = performance.now() + TURN_MS; ; await sleep(MOST_WAITING_LOOK_MS)) {
    const turn = createServer((socket) => socket.destroy()).unref();
    const isTaken = await new Promise<boolean>((resolve) => {
      turn.once('error', () => resolve(false));
      turn.listen(`\0perf-ts-inspector-${port}`, () => resolve(true));
    });
    if (isTaken || performance.now() > end) return turn;
  }
}

/** Another process may have its inspector there. */
async function untilFree(pid: number, port: number): Promise<void> {
  const end = performance.now() + FREE_MS;
  while (isPortTaken(pid, port)) {
    if (performance.now() > end) {
      throw new FailedError(`port ${port}, which its inspector wants, is taken by another process`);
    }
    await sleep(LOOK_MS);
  }
}

/** The port on which the process listens since `before`; null if it does not within the time, or ends. */
async function openedPort(
  pid: number,
  before: ReadonlyMap<string, number>,
  withinMs: number,
  mostPauseMs: number,
): Promise<number | null> {
  const end = performance.now() + withinMs;
  for (let look = 0; performance.now() < end && existsSync(`/proc/${pid}`); look++) {
    await sleep(Math.min(mostPauseMs, LOOK_MS * 1.1 ** look));
    for (const [inode, port] of listeningPorts(pid)) if (!before.has(inode)) return port;
  }
  return null;
}

/** A process that was asked and did nothing may open its inspector when it goes on. */
async function closeLate(pid: number, before: ReadonlyMap<string, number>): Promise<void> {
  const port = await openedPort(pid, before, LATE_MS, MOST_LOOK_MS);
  if (port === null) return;
  const inspector = await Inspector.connect(port).catch(() => null);
  await inspector?.closeInspector();
}

// Whoever asked may be gone: the inspector is closed all the same.
process.stdout.on('error', () => {});
const [pid = '', options = ''] = process.argv.slice(2);
let result: HandshakeResult;
try {
  // What `attach-js.ts` has written.
  result = await takeIn(Number(pid), parseForeignJson(options) as HandshakeOptions);
} catch (error) {
  result = failureOf(error);
}
process.stdout.write(`${JSON.stringify(result)}\n`);
