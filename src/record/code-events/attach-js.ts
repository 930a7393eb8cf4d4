import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { lateModules } from '../../base/late-modules.ts';
import { printable } from '../../base/printable.ts';
import { describeError } from '../../base/system-error.ts';
import type { TakeInRequest } from '../../register/listen.cts';
import { NO_INSPECTOR } from '../../system/runtimes/attached-runtimes.ts';
import { identifyNode } from '../../system/runtimes/node-program.ts';
import { runtimeByName } from '../../system/runtimes/other-runtimes.ts';
import { readLinkOrNull, readTextOrEmpty } from '../../system/small-file.ts';
import { ownProgramEnvironment } from '../../system/system-programs.ts';
import { packageFile } from '../../system/version.ts';
import type { HandshakeOptions } from './handshake.ts';
import { type HandshakeResult, parseHandshakeResult } from './handshake-result.ts';
import { inspectorFacts, takesSignal } from './open-inspector.ts';
import { attachOwnProcess, hasOwnCode } from './own-process.ts';
import { mayListen } from './registered.ts';
import { RegisteredAsker } from './registered-asker.ts';

/** The library knows V8's structures from here on. */
const LEAST_MAJOR = 18;
const MOST_OUTPUT = 1 << 16;

export type AttachOptions = {
  /** Processes, in the order in which they are asked. Those that begin later come when they can be asked. */
  readonly pids: readonly number[] | AsyncIterable<number>;
  /** Whether the recording has begun: files that a process serves are looked at by a helper alone. */
  readonly isLate?: boolean;
  /** Name of the socket that takes the code. */
  readonly socket: string;
  /** Whether processes that have not imported `perf-ts/register` are asked by their inspector. */
  readonly byInspector: boolean;
  readonly notify: (notice: string) => void;
  /** Hears which process is waited for, and null in the end. */
  readonly onWait: (pid: number | null) => void;
  /** The recording has ended: nobody is asked any more, and nothing is said. */
  readonly signal: AbortSignal;
};

/**
 * Makes the processes report their code, one after the other: their inspectors want the same port.
 * A failure is said, and the recording goes on without these names. What is on its way when the recording ends is
 * left to the program that does it, which also closes the inspector. Never rejects.
 */
export async function attachProcesses(options: AttachOptions): Promise<void> {
  const { pids, notify, onWait, signal } = options;
  const asker = new RegisteredAsker();
  signal.addEventListener('abort', () => asker.giveUp());
  for await (const pid of pids) {
    if (signal.aborted) return;
    onWait(pid);
    const result = await attach(pid, asker, options).catch(
      (error: unknown): HandshakeResult => ({ failure: describeError(error) }),
    );
    // A result behind the end has been reported as missing.
    if (signal.aborted) return;
    const text = result === null ? null : resultText(pid, result);
    if (text !== null) notify(text);
  }
  asker.giveUp();
  onWait(null);
}

/** A sentence on what a process has answered; null for nothing to report. */
export function resultText(pid: number, result: HandshakeResult): string | null {
  if ('failure' in result) {
    return `functions of JavaScript in process ${pid} have no names: ${printable(result.failure)}`;
  }
  if (pid === process.pid) return null;
  const { version, pauseMs } = result.taken;
  return (
    `process ${pid} (Node ${printable(version)}) reports its JavaScript; V8 listed its code in ` +
    `${pauseMs.toFixed(0)} ms` +
    (result.hasOpenInspector
      ? '; it is in native code now, and closes its inspector, which users of this machine can reach, when it ' +
        'comes back from that'
      : '')
  );
}

/** Null where nothing was asked for. */
async function attach(
  pid: number,
  asker: RegisteredAsker,
  { socket, byInspector, isLate, signal }: AttachOptions,
): Promise<HandshakeResult | null> {
  if (pid === process.pid) return hasOwnCode() ? attachOwnProcess(socket) : null;
  if (isLate || mayListen(pid)) {
    const registered = await asker.ask(pid, { socket });
    if (registered !== null) return registered;
  }
  return byInspector ? attachUnregistered(pid, { socket }, signal) : null;
}

/**
 * Asks a process that has not imported `perf-ts/register` by its inspector. Null where that is none of Node's. Never
 * rejects, and answers at once when `signal` is aborted.
 */
export async function attachUnregistered(
  pid: number,
  request: TakeInRequest,
  signal: AbortSignal,
): Promise<HandshakeResult | null> {
  try {
    if (isOtherRuntime(pid)) return null;
    const refusal = refusalOf(pid);
    return refusal === null ? await attachByInspector(pid, request, signal) : { failure: refusal };
  } catch (error) {
    return { failure: describeError(error) };
  }
}

/** Bun and Deno have no inspector of Node's: what names their code is said when the recording begins. */
function isOtherRuntime(pid: number): boolean {
  const program = readLinkOrNull(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, '');
  return program !== undefined && runtimeByName(basename(program)) !== null;
}

/** The reason why the inspector cannot be used for a process; null if it can. */
function refusalOf(pid: number): string | null {
  const status = readTextOrEmpty(`/proc/${pid}/status`);
  if (status === '') return 'it has ended';
  const program = readLinkOrNull(`/proc/${pid}/exe`);
  if (program === null) return 'it is of another user: root may look at it';
  const node = identifyNode(`/proc/${pid}/exe`);
  if (node.kind !== 'node') return `${printable(program)} is not Node`;
  if (node.version !== null && Number.parseInt(node.version.slice(1), 10) < LEAST_MAJOR) {
    return `it runs Node ${node.version}, and names need ${LEAST_MAJOR} or newer`;
  }
  const { openPorts, isForbidden } = inspectorFacts(pid);
  if (!takesSignal(status) && openPorts.length === 0) {
    return isForbidden
      ? NO_INSPECTOR
      : 'it does not take SIGUSR1 (--disable-sigusr1, a build without inspector, or it has just begun)';
  }
  const network = readLinkOrNull(`/proc/${pid}/ns/net`);
  if (network === null) return 'it has ended';
  if (network === readLinkOrNull('/proc/self/ns/net')) return null;
  return 'it has a network of its own (a container): import perf-ts/register in it, or run perf-ts there';
}

/**
 * Makes a Node process report its code to the recorder's socket, by its inspector. A program of its
 * own does it: if perf-ts ends or is killed meanwhile, the inspector is closed all the same.
 */
function attachByInspector(
  pid: number,
  request: TakeInRequest,
  signal: AbortSignal,
): Promise<HandshakeResult> {
  const { openPorts, usualPort } = inspectorFacts(pid);
  const options: HandshakeOptions = { ...request, openPorts, usualPort };
  const program = packageFile('dist/record/code-events/handshake.js');
  if (!existsSync(program)) return Promise.resolve({ failure: `${program} is missing` });
  return new Promise((resolve) => {
    const child = lateModules.childProcess.spawn(
      process.execPath,
      [program, `${pid}`, JSON.stringify(options)],
      {
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: ownProgramEnvironment(),
      },
    );
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (!output.includes('\n') && output.length < MOST_OUTPUT) return;
      child.stdout.destroy();
      child.unref();
      resolve(parseHandshakeResult(output));
    });
    child.unref();
    signal.addEventListener('abort', () => {
      child.stdout.destroy();
      resolve({ failure: 'it does not answer' });
    });
    child.once('error', ({ message }) => resolve({ failure: message }));
    // Its answer may come behind its end.
    child.once('close', (status) => resolve({ failure: `the handshake ended with ${status}` }));
  });
}
