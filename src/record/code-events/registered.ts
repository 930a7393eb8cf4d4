import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { lateModules } from '../../base/late-modules.ts';
import type { NativeBinding } from '../../native/types.ts';
import type { TakeInRequest } from '../../register/listen.cts';
import { registeredFolders } from '../../system/files/registered-folders.ts';
import { pidInItsNamespace } from '../../system/processes/namespace-pid.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';
import { peerOfSocket } from './code-socket.ts';
import { type HandshakeResult, parseHandshakeResult } from './handshake-result.ts';

/** Time limit from the first to the last byte, so that a program that sends one at a time gets no more. */
const ANSWER_MS = 1000;
const MOST_ANSWER_BYTES = 1 << 16;

/**
 * Finds the socket of a process that has imported `perf-ts/register`, where `register/listen` has put it in its own
 * files; null if it does not listen. The folder must be its user's alone: another user may have made one of that
 * name before.
 */
export function registeredSocket(pid: number): string | null {
  const uid = uidOfProcess(pid);
  for (const path of socketPaths(pid, uid)) {
    try {
      const there = lstatSync(dirname(path));
      const socket = lstatSync(path);
      const isTheirs = there.isDirectory() && there.uid === uid && (there.mode & 0o077) === 0;
      if (isTheirs && socket.isSocket() && socket.uid === uid) return path;
    } catch {
      // Not there.
    }
  }
  return null;
}

/**
 * Whether a process listens, or may do so in a folder that may not answer now: asking it, which a helper does, finds
 * out.
 */
export function mayListen(pid: number): boolean {
  const isUnknown = socketPaths(pid, uidOfProcess(pid)).some((path) => silentPlaces.mayWait(path));
  return isUnknown || registeredSocket(pid) !== null;
}

function socketPaths(pid: number, uid: number | null): readonly string[] {
  const innerPid = pidInItsNamespace(pid);
  if (uid === null || innerPid === null) return [];
  return registeredFolders(uid).map((folder) => `/proc/${pid}/root${folder}/${innerPid}.sock`);
}

/**
 * Asks a process that listens at `path` to report its code to a recorder. Call it in a helper: the kernel may stand
 * still on the way to a path of somebody else's file system.
 */
export function askRegistered(
  pid: number,
  path: string,
  request: TakeInRequest,
  peerOf: NativeBinding['peerOf'],
): Promise<HandshakeResult> {
  return new Promise((resolve) => {
    const socket = lateModules.net.connect(path);
    const end = (result: HandshakeResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(
      () => end({ failure: 'it does not answer: its event loop is busy' }),
      ANSWER_MS,
    );
    socket.once('error', ({ message }) => end({ failure: message }));
    socket.once('connect', () => {
      if (peerOfSocket(socket, peerOf)?.pid !== pid) {
        end({ failure: `another process listens at ${path}` });
        return;
      }
      socket.write(`${JSON.stringify(request)}\n`);
    });
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      if (answer.length > MOST_ANSWER_BYTES) end({ failure: 'it answers with something else' });
    });
    socket.once('end', () => end(parseHandshakeResult(answer)));
  });
}
