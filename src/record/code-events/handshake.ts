// A program of its own, `node handshake.js PID JSON`: opens the inspector of a Node process, makes the
// process take in the code-events library, and closes the inspector again. It is no child that dies with
// perf-ts: whatever becomes of that, the port is closed. Prints one line of JSON.

import { setTimeout as sleep } from 'node:timers/promises';
import { FailedError } from '../../base/errors.ts';
import type { TakeIn, TakenIn } from '../../register/take-in.cts';
import { Inspector } from './inspector.ts';
import { isPortTaken, listeningPorts } from './listening-ports.ts';
import { codeEventsModule, takeInModule } from './register-modules.ts';

/** The program may be busy in native code, where V8 is not asked. */
const OPEN_MS = 5000;
const FREE_MS = 3000;
const LATE_MS = 120_000;
const LOOK_MS = 2;

/** Its options besides the pid. */
export type HandshakeOptions = Omit<TakeIn, 'library'> & {
  /** Port of an inspector that is open already. */
  readonly port: number | null;
  /** Port that the process opens on SIGUSR1. */
  readonly usualPort: number;
};

/** The line that it prints. */
export type HandshakeResult = { readonly taken: TakenIn } | { readonly failure: string };

async function takeIn(pid: number, options: HandshakeOptions): Promise<TakenIn> {
  if (options.port !== null) {
    const inspector = await Inspector.connect(options.port);
    try {
      return await evaluate(inspector, options);
    } finally {
      inspector.close();
    }
  }
  await untilFree(pid, options.usualPort);
  const before = listeningPorts(pid);
  process.kill(pid, 'SIGUSR1');
  const port = await openedPort(pid, before, OPEN_MS);
  if (port === null) {
    void closeLate(pid, before);
    throw new FailedError(
      'it opened no inspector on SIGUSR1: it handles that signal itself, or is stopped or in native code',
    );
  }
  const inspector = await Inspector.connect(port);
  try {
    return await evaluate(inspector, options);
  } finally {
    await inspector.closeInspector();
  }
}

async function evaluate(inspector: Inspector, given: HandshakeOptions): Promise<TakenIn> {
  const library = codeEventsModule().codeEventsLibrary();
  if (library === null)
    throw new FailedError('perf-ts has no code-events library for this machine');
  const options: TakeIn = { ...given, library };
  return JSON.parse(
    `${await inspector.evaluate(takeInModule().takeInExpression(options))}`,
  ) as TakenIn;
}

/** Another process may have its inspector there, for somebody else's handshake perhaps. */
async function untilFree(pid: number, port: number): Promise<void> {
  const end = performance.now() + FREE_MS;
  while (isPortTaken(pid, port)) {
    if (performance.now() > end) {
      throw new FailedError(`port ${port}, which its inspector wants, is taken by another process`);
    }
    await sleep(LOOK_MS);
  }
}

/** The port on which the process listens since `before`; null if it does not within the time. */
async function openedPort(
  pid: number,
  before: ReadonlyMap<string, number>,
  withinMs: number,
): Promise<number | null> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    await sleep(LOOK_MS);
    for (const [inode, port] of listeningPorts(pid)) if (!before.has(inode)) return port;
  }
  return null;
}

/** A process that was asked and did nothing may open its inspector when it goes on. */
async function closeLate(pid: number, before: ReadonlyMap<string, number>): Promise<void> {
  const port = await openedPort(pid, before, LATE_MS);
  if (port === null) return;
  const inspector = await Inspector.connect(port).catch(() => null);
  await inspector?.closeInspector();
}

const [pid = '', options = ''] = process.argv.slice(2);
let result: HandshakeResult;
try {
  result = { taken: await takeIn(Number(pid), JSON.parse(options)) };
} catch (error) {
  result = { failure: error instanceof Error ? error.message : String(error) };
}
process.stdout.write(`${JSON.stringify(result)}\n`);
