import { fieldOf } from '../../base/foreign-json.ts';
import { pathOfScript } from '../../code/javascript/script-path.ts';

/**
 * The source maps that processes noted of what they ran. A watch mode runs one script with several: each
 * process has its own then, and of those of one process the last.
 */
export class NotedMaps {
  readonly #maps = new Map<string, Map<number, object>>();
  /** The last map of each path, whatever version of it. */
  readonly #latest = new Map<string, object>();
  /** Processes that ran a script with another map than others did. */
  readonly pidsApart = new Set<number>();

  /** False where the process has run the script with another map before. */
  add(path: string, map: object, pid: number): boolean {
    const maps = this.#maps.get(path) ?? new Map<number, object>();
    this.#maps.set(path, maps);
    this.#latest.set(pathOfScript(path), map);
    const [first] = maps.values();
    const before = maps.get(pid);
    const isApart = first !== undefined && !isSameMap(first, map);
    if (isApart) for (const other of [pid, ...maps.keys()]) this.pidsApart.add(other);
    // Equal ones are kept once.
    maps.set(pid, first === undefined || isApart ? map : first);
    if (before === first) return !isApart;
    return before === undefined || isSameMap(before, map);
  }

  /** Whether a script of this path was made of other sources later: they have no text of this map any more. */
  isOutdated(path: string, map: object): boolean {
    const latest = this.#latest.get(path);
    return latest !== undefined && latest !== map && !isSameMap(latest, map);
  }

  /** The map of a script in a process, or the last of any; undefined where nobody noted one. */
  find(path: string, pid: number | null): object | undefined {
    const maps = this.#maps.get(path);
    return (pid === null ? undefined : maps?.get(pid)) ?? [...(maps?.values() ?? [])].at(-1);
  }
}

function isSameMap(one: object, other: object): boolean {
  return (
    fieldOf(one, 'mappings') === fieldOf(other, 'mappings') &&
    ['sources', 'sections'].every(
      (field) => JSON.stringify(fieldOf(one, field)) === JSON.stringify(fieldOf(other, field)),
    )
  );
}
