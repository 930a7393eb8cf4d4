import { loadBinding } from '../../native/binding.ts';

/**
 * Notes from now on who sends signal number `signal`, which must have a handler. It applies to the
 * whole process, so it is for the command line and not for the library.
 */
export function noteSignalOrigin(signal: number): void {
  loadBinding().noteSignalOrigin(signal);
}

/** Whether the last such signal came from the kernel (Ctrl-C in a terminal), not from a process. */
export function isSignalFromKernel(signal: number): boolean {
  return loadBinding().isSignalFromKernel(signal);
}
