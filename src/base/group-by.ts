/** Items by the key of each, in their order. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const lists = new Map<Key, Item[]>();
  for (const item of items) addToList(lists, keyOf(item), item);
  return lists;
}

/** Adds an item to the list of its key. */
export function addToList<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
