import { UsageError } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import type { AskedOf } from '../../options/option.ts';
import { JAVASCRIPT } from '../../options/reading.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';

/** What else a command line says that bears on the frames which it means. */
type Asked = AskedOf<typeof JAVASCRIPT> & {
  readonly json?: boolean;
  readonly dsos?: ReadonlySet<string>;
};

/**
 * The frames that a command line asks for. Without `--frames` a table or an export starts with JavaScript;
 * documents for programs, and questions about files and V8's own frames, are about all of them. Throws
 * `UsageError` for V8's own names folded.
 */
export function wantedFrames({
  frames,
  rawScripts,
  simplify,
  json,
  dsos,
}: Asked): FrameLevel | 'auto' {
  if (rawScripts && frames !== undefined && frames !== 'all') {
    const both = words`${JAVASCRIPT.rawScripts} and ${JAVASCRIPT.frames.as(frames)}`;
    throw new UsageError(words`${both} exclude each other`, [
      "folding goes by functions' own names",
    ]);
  }
  if (frames !== undefined) return frames;
  return json || rawScripts || simplify || dsos !== undefined ? 'all' : 'auto';
}
