import { UsageError } from '../../base/errors.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { JavaScriptFlags } from './load.ts';

/** What else a command line says that bears on the frames which it means. */
type Asked = JavaScriptFlags & {
  readonly json?: boolean;
  /** `-d` and perf's other name of it. */
  readonly dso?: string;
  readonly dsos?: string;
};

/**
 * The frames that a command line asks for. Without `--frames` a table or an export starts with JavaScript;
 * documents for programs, and questions about files and V8's own frames, are about all of them. Throws
 * `UsageError` for V8's own names folded.
 */
export function wantedFrames(flags: Asked): FrameLevel | 'auto' {
  const { frames } = flags;
  if (flags.jsRaw && frames !== undefined && frames !== 'all') {
    throw new UsageError(`--js-raw and --frames ${frames} exclude each other`, [
      "folding goes by functions' own names",
    ]);
  }
  if (frames !== undefined) return frames;
  const isAboutAll =
    flags.json || flags.jsRaw || flags.jsSimple || (flags.dso ?? flags.dsos) !== undefined;
  return isAboutAll ? 'all' : 'auto';
}
