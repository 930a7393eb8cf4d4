import type { FrameKey, SearchHit } from '../messages/messages.ts';
import { matchAll, parseQuery } from './query.ts';
import { Recent } from './recent.ts';
import type { LoadedRecording } from './recording.ts';

/** Which keys a search matches: every name is tested once. */
export type Matching = {
  /** Functions that match. */
  readonly functions: number;
  readonly problem: string | null;
  readonly isMatch: (key: FrameKey) => boolean;
  /** The label of what a key stands for. */
  readonly labelOf: (key: FrameKey) => Pick<SearchHit, 'name' | 'kind' | 'group'>;
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
      const recording = this.#recording;
      const { funcName } = recording;
      const count = funcName.length;
      const { flags: ofFunc, problem } = matchAll(query, count, (func) =>
        query.matches(funcName[func]),
      );
      return {
        functions: ofFunc.reduce((sum, flag) => sum + flag, 0),
        problem,
        // Comms and threads at the root are no functions: `node` is not to match all of node.
        isMatch: (key) => key < 2 * count && ofFunc[key < count ? key : key - count] === 1,
        labelOf: (key) => {
          const func = key < count ? key : key - count;
          return {
            name: funcName[func],
            kind: recording.kindOf(func),
            group: recording.groups[func],
          };
        },
      };
    });
  }
}
