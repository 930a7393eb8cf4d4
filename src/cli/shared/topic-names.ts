/** The topics of `perf-ts help`, in the order of the list. Every start prints or checks these names alone. */
export const TOPIC_NAMES = [
  'events',
  'stacks',
  'symbols',
  'javascript',
  'server',
  'memory',
  'waits',
  'permissions',
  'formats',
  'selection',
  'trust',
  'status',
  'config',
] as const;

export type TopicName = (typeof TOPIC_NAMES)[number];

/** The names for a text. */
export const LISTED_TOPICS = TOPIC_NAMES.join(', ');
