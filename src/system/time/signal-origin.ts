import { loadBinding } from '../../native/binding.ts';

/**
 * Notes from now on who sends signal number `signal`, which must have a handler. It applies to the
 * whole process, so it is for the command line and not for the library.
 */
export function noteSignalOrigin(signal: number): void {
  loadBinding().noteSignalOrigin(signal);
}

/** A terminal, in place of a sender: its Ctrl-C reaches all processes of the foreground group. */
export const FROM_KERNEL = -1;

/** Pid of the process that sent the last such signal, `FROM_KERNEL`, or 0 where it is not known. */
export function senderOfSignal(signal: number): number {
  return loadBinding().senderOfSignal(signal);
}
