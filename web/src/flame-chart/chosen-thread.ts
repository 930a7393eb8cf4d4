import type { ProfileThread } from '../../../src/profile/types.ts';
import type { ViewState } from '../state/state.ts';

/** The thread that is chosen; null: the heaviest of those that are shown. */
export function chosenThread({ threads }: ViewState): number | null {
  return threads.length === 1 ? threads[0] : null;
}

/** The change of the state that chooses a thread. */
export function threadChange(thread: number): Partial<ViewState> {
  return { threads: [thread] };
}

/** `node 1234`; an imported text may know no tid. */
export function threadTitle({ comm, tid }: Pick<ProfileThread, 'comm' | 'tid'>): string {
  const name = comm || '[unknown]';
  return tid < 0 ? name : `${name} ${tid}`;
}
