import { listThreads } from '../../system/processes/thread-stat.ts';
import { forbidsInspector, readNodeOptions } from '../../system/runtimes/attached-runtimes.ts';
import { readTextOrEmpty } from '../../system/small-file.ts';
import { listeningPorts } from './listening-ports.ts';

const DEFAULT_PORT = 9229;
const INSPECT = /^--inspect(?:-brk|-wait)?(?:=|$)/;
const INSPECT_PORT = /^--(?:inspect-port|debug-port)=/;
/** Name of the thread of an open inspector; Node before 24 gives its threads none. */
const INSPECTOR_THREAD = 'InspectorIo';
const MOST_PORTS = 16;
const SIGUSR1_BIT = 1n << 9n;

/** Whether a process handles SIGUSR1, by its /proc/PID/status: it ends one that does not. */
export function takesSignal(status: string): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & SIGUSR1_BIT) !== 0n;
}

/** Facts about the inspector of a Node process, as /proc tells them. */
export type InspectorFacts = {
  /** Ports on which its inspector may listen already, the likeliest first; empty where it is closed. */
  readonly openPorts: readonly number[];
  /** Port that it opens on SIGUSR1. */
  readonly usualPort: number;
  /** Whether Node's permission model keeps the inspector from it. */
  readonly isForbidden: boolean;
};

/** Looks for what the process was told about its inspector, and whether it seems to be open. */
export function inspectorFacts(pid: number): InspectorFacts {
  const words = wordsOf(pid);
  const reported = words.find((word) => INSPECT.test(word));
  const usualPort = portIn(reported ?? words.find((word) => INSPECT_PORT.test(word)));
  const listening = [...new Set(listeningPorts(pid).values())];
  // A program may open it itself, or somebody has sent SIGUSR1 before.
  const isOpen = reported !== undefined || listening.includes(usualPort) || hasInspectorThread(pid);
  return {
    // The program's own servers are asked after the port that the inspector was given.
    openPorts: isOpen ? likeliestFirst(listening, usualPort) : [],
    usualPort: usualPort === 0 ? DEFAULT_PORT : usualPort,
    isForbidden: forbidsInspector(words),
  };
}

/** The ports on which the process listens, in the order in which its inspector is looked for there. */
export function likeliestFirst(ports: readonly number[], likeliest: number): number[] {
  const rank = (port: number) => (port === likeliest ? 0 : 1);
  return ports.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_PORTS);
}

/** `--inspect`, `--inspect=9230`, `--inspect=0.0.0.0:9230`; 0 stands for any port. */
function portIn(word = ''): number {
  return Number(/[=:](\d+)$/.exec(word)?.[1] ?? DEFAULT_PORT);
}

/** Node's options, among other words. */
function wordsOf(pid: number): string[] {
  return [
    ...readTextOrEmpty(`/proc/${pid}/cmdline`).split('\0').slice(1),
    ...readNodeOptions(pid).split(/\s+/),
  ];
}

function hasInspectorThread(pid: number): boolean {
  return listThreads(pid).some(
    (tid) => readTextOrEmpty(`/proc/${pid}/task/${tid}/comm`).trim() === INSPECTOR_THREAD,
  );
}
