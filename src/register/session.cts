/**
 * A recording, as the environment of its programs describes it: `PERF_TS_SESSION`, in JSON. Made by
 * `system/runtimes/node-session.ts`.
 */
export type Session = {
  /** Path of the file that `--require` names, `boot`. */
  readonly boot: string;
  /** The words that NODE_OPTIONS got, exactly: with a space behind it where the user has a NODE_OPTIONS. */
  readonly words: string;
  /** Path of `recorded` in the recorder's package, and the owner of that file. */
  readonly program: string;
  readonly owner: number;
  /** `LifeMark` of the recorder; absent where /proc does not show it. */
  readonly recorder?: string;
  /** The Unix socket that takes V8's code; absent: V8 writes a map or a jitdump. */
  readonly socket?: string;
  /** The name by which the notes in files are known; absent where the socket takes them. */
  readonly recording?: string;
};
