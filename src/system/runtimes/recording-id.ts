import { lateModules } from '../../base/late-modules.ts';
import { LIFE_MARK, type LifeMark, ownLifeMark, parseLifeMark } from '../processes/life-mark.ts';

/** Files that processes leave beside their notes, because of flags that a recorder has set. */
export type LeftByV8 = {
  /** A perf map, and V8's log. */
  readonly maps: boolean;
  /** A jitdump, and V8's log. */
  readonly dumps: boolean;
};

const ID = new RegExp(`^(${LIFE_MARK})\\.[0-9a-f]{16}\\.(m?d?)$`);

/**
 * The name by which the notes of a recording's processes are known. It states whose recorder it is, so that a later
 * one finds what it left when it was killed, and what of it is not the program's own.
 */
export function newRecordingId({ maps, dumps }: LeftByV8): string {
  const random = lateModules.crypto.randomBytes(8).toString('hex');
  return `${ownLifeMark() ?? 'unknown'}.${random}.${maps ? 'm' : ''}${dumps ? 'd' : ''}`;
}

/** Null where it does not state whose it is. */
export function parseRecordingId(id: string): (LeftByV8 & { readonly recorder: LifeMark }) | null {
  const [, mark, letters] = ID.exec(id) ?? [];
  const recorder = mark === undefined ? null : parseLifeMark(mark);
  if (recorder === null || letters === undefined) return null;
  return { recorder, maps: letters.includes('m'), dumps: letters.includes('d') };
}
