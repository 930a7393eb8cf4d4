/**
 * Cache events: a cache, what is done with it, and how that ends, in one number.
 *
 *   L1-dcache-load-misses  ->  config = cache | operation << 8 | result << 16
 *                              (perf_hw_cache_id, _op_id, _op_result_id of perf_event.h)
 *
 * The first word of each row is the one that is shown; the others are accepted.
 */

type Cache = {
  readonly words: readonly string[];
  /** Operations that exist for it: l(oad), s(tore), p(refetch). */
  readonly operations: string;
};

/** `enum perf_hw_cache_id`, in its order. */
const CACHES: readonly Cache[] = [
  { words: ['L1-dcache', 'l1-d', 'l1d', 'L1-data'], operations: 'lsp' },
  { words: ['L1-icache', 'l1-i', 'l1i', 'L1-instruction'], operations: 'lp' },
  { words: ['LLC', 'L2'], operations: 'lsp' },
  { words: ['dTLB', 'd-tlb', 'Data-TLB'], operations: 'lsp' },
  { words: ['iTLB', 'i-tlb', 'Instruction-TLB'], operations: 'l' },
  { words: ['branch', 'branches', 'bpu', 'btb', 'bpc'], operations: 'l' },
  { words: ['node'], operations: 'lsp' },
];

/** `enum perf_hw_cache_op_id`, in its order: shown alone, shown before `-misses`, the rest. */
const OPERATIONS: readonly (readonly string[])[] = [
  ['loads', 'load', 'read'],
  ['stores', 'store', 'write'],
  ['prefetches', 'prefetch', 'speculative-read', 'speculative-load'],
];

/** `enum perf_hw_cache_op_result_id`, in its order: access, miss. */
const RESULTS: readonly (readonly string[])[] = [
  ['refs', 'reference', 'ops', 'access'],
  ['misses', 'miss'],
];

export type CacheEvent = { readonly name: string; readonly config: bigint };

/** Every cache event by its shown name. */
export const CACHE_EVENTS: readonly CacheEvent[] = CACHES.flatMap((cache, cacheId) =>
  OPERATIONS.flatMap((_, operation) =>
    hasOperation(cache, operation)
      ? RESULTS.map((__, result) => cacheEvent(cacheId, operation, result))
      : [],
  ),
);

/**
 * The cache event of that name, null for all other names. As in perf, case does not count, words
 * after the cache may be left out (a load, an access) and stand in either order: `l1d-miss` is
 * L1-dcache-load-misses.
 */
export function findCacheEvent(name: string): CacheEvent | null {
  const text = name.toLowerCase();
  for (let cacheId = 0; cacheId < CACHES.length; cacheId++) {
    const cache = CACHES[cacheId];
    for (const word of cache.words) {
      const rest = afterWord(text, word);
      const ending = rest === null ? null : parseEnding(rest);
      if (ending === null) continue;
      const [operation, result] = ending;
      return hasOperation(cache, operation) ? cacheEvent(cacheId, operation, result) : null;
    }
  }
  return null;
}

/** [operation, result] from `-load-misses`, `-misses`, `-loads`, or nothing; null otherwise. */
function parseEnding(text: string): [number, number] | null {
  let operation = -1;
  let result = -1;
  let rest = text;
  while (rest !== '') {
    const [operationId, afterOperation] = takeWord(rest, OPERATIONS);
    const [resultId, afterResult] = takeWord(rest, RESULTS);
    if (operation < 0 && operationId >= 0) {
      operation = operationId;
      rest = afterOperation;
    } else if (result < 0 && resultId >= 0) {
      result = resultId;
      rest = afterResult;
    } else {
      return null;
    }
  }
  return [Math.max(operation, 0), Math.max(result, 0)];
}

/** The row whose word stands at the start of `text` (after a dash), and what follows; row −1. */
function takeWord(text: string, rows: readonly (readonly string[])[]): [number, string] {
  for (let row = 0; row < rows.length; row++) {
    for (const word of rows[row]) {
      const rest = afterWord(text, `-${word}`);
      if (rest !== null) return [row, rest];
    }
  }
  return [-1, text];
}

/** The rest behind `word` in `text`: nothing, or a dash and more. Null if the word is not there. */
function afterWord(text: string, word: string): string | null {
  if (!text.startsWith(word.toLowerCase())) return null;
  const rest = text.slice(word.length);
  return rest === '' || rest.startsWith('-') ? rest : null;
}

function hasOperation(cache: Cache, operation: number): boolean {
  return cache.operations.includes('lsp'[operation]);
}

function cacheEvent(cacheId: number, operation: number, result: number): CacheEvent {
  const cacheName = CACHES[cacheId].words[0];
  const words = OPERATIONS[operation];
  const ending = result === 0 ? words[0] : `${words[1]}-misses`;
  return {
    name: `${cacheName}-${ending}`,
    config: BigInt(cacheId | (operation << 8) | (result << 16)),
  };
}
