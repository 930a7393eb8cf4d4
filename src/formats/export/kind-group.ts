import { FUNC_CATEGORIES, type FuncCategory } from '../../profile/types.ts';

/** Short names of the categories of functions, as addresses and style sheets have them. */
const GROUP_OF_CATEGORY = {
  'user code': 'own',
  dependency: 'dependency',
  'node internal': 'node',
  V8: 'v8',
  GC: 'gc',
  'standard library': 'standard',
  libc: 'libc',
  native: 'native',
  kernel: 'kernel',
  unknown: 'unknown',
} as const satisfies Readonly<Record<FuncCategory, string>>;

export type KindGroup = (typeof GROUP_OF_CATEGORY)[FuncCategory];

/** Rows are those of `FUNC_CATEGORIES`, so that `FuncTable.category` is a column of groups. In the order of the legend. */
export const KIND_GROUPS: readonly KindGroup[] = FUNC_CATEGORIES.map(
  (category) => GROUP_OF_CATEGORY[category],
);

const TITLES: Readonly<Record<KindGroup, string>> = {
  own: 'your code',
  dependency: 'dependencies',
  node: 'Node',
  v8: 'V8',
  gc: 'GC',
  standard: 'standard library',
  libc: 'libc',
  native: 'native',
  kernel: 'kernel',
  unknown: 'unknown',
};

export const groupTitle = (group: KindGroup): string => TITLES[group];
