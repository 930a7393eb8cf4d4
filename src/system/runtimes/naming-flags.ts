import { words } from '../../base/words.ts';
import type { CommandSpec } from '../../native/types.ts';
import { RECORD } from '../../options/record.ts';
import { findNode } from './node-command.ts';
import { addNodeFlags } from './node-flags.ts';
import { addRuntimeVariables, findOtherRuntime } from './other-runtimes.ts';
import type { NodeFlags } from './v8-flags.ts';

/** The user's options, of `RecordSettings`. */
export type NamingOptions = {
  readonly nodeFlags?: boolean;
  readonly jitdump?: boolean;
};

/** Whether the command is seen to run Node, Bun or Deno, or is said to. */
export function runsJavaScript(command: CommandSpec, { nodeFlags }: NamingOptions): boolean {
  return nodeFlags === true || findOtherRuntime(command) !== null || findNode(command) !== null;
}

/**
 * Gives a command that runs JavaScript what makes its runtime name the code that it makes, by V8's
 * events to a socket of a new name where there may be one and no jitdump is asked for.
 */
export function addNamingFlags(
  command: CommandSpec,
  { nodeFlags, jitdump = false }: NamingOptions,
  newSocket: (() => string) | null = null,
): NodeFlags {
  const runtime = nodeFlags === false ? null : findOtherRuntime(command);
  if (runtime !== null) return addRuntimeVariables(command, runtime, jitdump);
  const naming = jitdump ? 'dump' : newSocket === null ? 'map' : { newSocket };
  const flagged = addNodeFlags(command, nodeFlags, undefined, undefined, naming);
  const isMissing = jitdump && flagged.dumpsIn === null && flagged.notes.length === 0;
  if (!isMissing) return flagged;
  const note = words`${RECORD.jitdump}: the command is not seen to run Node: ${RECORD.nodeFlags.as(true)} adds the flags all the same`;
  return { ...flagged, notes: [note] };
}
