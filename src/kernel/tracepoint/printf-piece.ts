import type { Layout } from './integer-format.ts';
import type { KernelNames } from './kernel-names.ts';
import type { RawRecord } from './raw-record.ts';

/** Writes one piece of a line. */
export type Piece = (record: RawRecord, names: KernelNames) => string;

/** The layout of a conversion; both parts may be arguments. */
export type LayoutReader = (record: RawRecord) => Layout;
