import type { TracepointField } from './format-file.ts';

/** Names that expressions may refer to. */
export type NameScope = {
  readonly fieldOf: (name: string) => TracepointField | null;
  /** `sizeof(long)` of the recorded machine. */
  readonly longSize: number;
};
