import { commandWords, isDetail, libraryWords, type Text } from '../../base/words.ts';
import type { RecordSettings } from '../../options/record.ts';

/** Notices of a recording for the user, one sentence each, every sentence once. */
export class Notices {
  readonly #sentences = new Map<string, Text>();

  add(sentence: Text): void {
    this.#sentences.set(commandWords(sentence), sentence);
  }

  list(): Text[] {
    return [...this.#sentences.values()];
  }
}

/** Hands a notice to the caller in the words of either door. */
export function giveNotice({ onNotice }: Pick<RecordSettings, 'onNotice'>, notice: Text): void {
  const inFlags = commandWords(notice);
  onNotice?.(libraryWords(notice) ?? inFlags, inFlags, isDetail(notice));
}

/** Keeps each notice in `notices`, for the recording, and hands it to the caller. */
export function keepNotices(
  notices: string[],
  options: Pick<RecordSettings, 'onNotice'>,
): (notice: Text) => void {
  return (notice) => {
    notices.push(commandWords(notice));
    giveNotice(options, notice);
  };
}
