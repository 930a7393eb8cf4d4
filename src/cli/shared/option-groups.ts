import { OPTION_GROUP } from '../../options/groups.ts';

/** These follow the groups of the command itself, in this order. */
const SHARED: readonly string[] = Object.values(OPTION_GROUP);

/** Puts the groups that commands share after those of the command itself. */
export function inOrderOfGroups<V>(groups: ReadonlyMap<string, V>): Map<string, V> {
  const sorted = [...groups].sort(([a], [b]) => SHARED.indexOf(a) - SHARED.indexOf(b));
  return new Map(sorted);
}
