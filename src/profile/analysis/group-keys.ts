/** Rows can be made of these: where samples were taken, and in which code. */
export const GROUP_KEYS = [
  'comm',
  'pid',
  'tid',
  'cpu',
  'coretype',
  'event',
  'dso',
  'sym',
  'srcline',
  'srcfile',
  'category',
  'tier',
] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];
