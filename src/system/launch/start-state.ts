import { constants, fstatSync } from 'node:fs';
import type { CommandSpec } from '../../native/types.ts';
import {
  findInheritedFds,
  nodeStartMs,
  readOpenFds,
  readStatusFlags,
} from '../processes/inherited-fds.ts';
import { fdLimitNotice, guessStartState, viewProcess } from './caller-state.ts';

/** State that the command gets as this process got it, and that Node has changed since. */
export type StartState = Required<
  Pick<CommandSpec, 'inheritedFds' | 'blockingFds' | 'ignoredSignals' | 'softFdLimit'>
>;

/**
 * The command gets from a program that uses the library what `child_process.spawn` would give it:
 * stdio made blocking, descriptors that lack the close-on-exec mark, no ignored signals.
 */
const LIBRARY_STATE: StartState = {
  inheritedFds: [],
  blockingFds: [0, 1, 2],
  ignoredSignals: [],
  softFdLimit: 0,
};

let state = LIBRARY_STATE;
let notices: readonly string[] = [];

/**
 * Notes how this process was started. For a program that owns its process: the command line calls it
 * before it opens anything, since later descriptors would pass for inherited ones.
 */
export function captureStartState(): void {
  if (process.platform !== 'linux') return;
  try {
    state = readStartState();
  } catch {
    // Without /proc the command starts as from the library.
  }
}

/** How the command is to find its descriptors, signals and limits. */
export function startState(): StartState {
  return state;
}

/** Notices for the user about how the command starts. */
export function startNotices(): readonly string[] {
  return notices;
}

function readStartState(): StartState {
  const channel = (process.channel as { fd?: number } | undefined)?.fd;
  const self = viewProcess('self');
  const guessed =
    self === null
      ? null
      : guessStartState({
          self,
          view: viewProcess,
          startedProgram: process.env._,
          hasNohupInput: isNullForWriting(0),
        });
  if (self !== null && guessed?.hasOwnFdLimits) notices = [fdLimitNotice(self.hardFds)];
  return {
    inheritedFds: findInheritedFds(readOpenFds(), nodeStartMs()).filter((fd) => fd !== channel),
    // Those that were non-blocking before stay so.
    blockingFds: [0, 1, 2].filter((fd) => !hasFlag(fd, constants.O_NONBLOCK)),
    ignoredSignals: guessed?.ignoredSignals ?? [],
    softFdLimit: guessed?.softFdLimit ?? 0,
  };
}

function isNullForWriting(fd: number): boolean {
  const { rdev } = fstatSync(fd);
  const NULL_DEVICE = (1 << 8) | 3;
  return rdev === NULL_DEVICE && (readStatusFlags(fd) & 3) === constants.O_WRONLY;
}

function hasFlag(fd: number, flag: number): boolean {
  try {
    return (readStatusFlags(fd) & flag) !== 0;
  } catch {
    return false;
  }
}
