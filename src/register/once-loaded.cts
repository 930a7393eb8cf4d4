// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

type List = unknown[];
type Waiting = { readonly entry: string; readonly step: () => void };

/** Node puts each of its modules in this list once it has run, before whoever asked for it has its exports. */
const { moduleLoadList } = process as unknown as { readonly moduleLoadList?: List };
let waiting: readonly Waiting[] = [];

/**
 * Runs a step, which must not throw, once a public module of Node is loaded: at once where it is, or where that can't be seen. Most
 * programs load neither workers nor times, and Node takes a millisecond or two for each. Returns what ends the waiting.
 */
exports.onceLoaded = (name: string, step: () => void): (() => void) => {
  const one = { entry: `NativeModule ${name}`, step };
  if (
    !Array.isArray(moduleLoadList) ||
    moduleLoadList.includes(one.entry) ||
    !see(moduleLoadList)
  ) {
    step();
    return () => {};
  }
  waiting = [...waiting, one];
  return () => leave(one);
};

/** Stands in front of the list's own prototype while somebody waits: an entry that the list does not have yet comes by here. */
const passage: object = new Proxy(Object.create(Array.prototype) as object, {
  set: (_target, key, value, list: List) => {
    const place = { value, configurable: true, enumerable: true, writable: true };
    const isPut = Reflect.defineProperty(list, key, place);
    for (const one of waiting.filter(({ entry }) => entry === value)) {
      leave(one);
      one.step();
    }
    return isPut;
  },
});

/** False where the program has given the list another prototype, or none. */
function see(list: List): boolean {
  if (Object.getPrototypeOf(list) === passage) return true;
  return Object.getPrototypeOf(list) === Array.prototype && Reflect.setPrototypeOf(list, passage);
}

function leave(one: Waiting): void {
  waiting = waiting.filter((other) => other !== one);
  if (waiting.length > 0 || Object.getPrototypeOf(moduleLoadList) !== passage) return;
  Object.setPrototypeOf(moduleLoadList, Array.prototype);
}

export declare function onceLoaded(name: string, step: () => void): () => void;
