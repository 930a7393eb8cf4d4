import type { FrameKey } from './messages.ts';
import { parseQuery } from './query.ts';
import { Recent } from './recent.ts';
import type { LoadedRecording } from './recording.ts';

/** Which keys a search matches: every name is tested once. */
export type Matching = {
  /** Functions that match. */
  readonly functions: number;
  readonly problem: string | null;
  readonly isMatch: (key: FrameKey) => boolean;
};

/** The searches of one recording. */
export class Matchings {
  readonly #recording: LoadedRecording;
  readonly #recent = new Recent<Matching>(4);

  constructor(recording: LoadedRecording) {
    this.#recording = recording;
  }

  /** Null for an empty field. */
  get(typed: string): Matching | null {
    const query = parseQuery(typed);
    if (query === null) return null;
    return this.#recent.get(typed, () => {
      const { funcName } = this.#recording;
      const ofFunc = Uint8Array.from(funcName, (name) => (query.matches(name) ? 1 : 0));
      const count = funcName.length;
      return {
        functions: ofFunc.reduce((sum, flag) => sum + flag, 0),
        problem: query.problem,
        // Comms and threads at the root are no functions: `node` is not to match all of node.
        isMatch: (key) => key < 2 * count && ofFunc[key < count ? key : key - count] === 1,
      };
    });
  }
}
