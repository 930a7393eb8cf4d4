declare const brand: unique symbol;

/** A number that must not be confused with another number. Costs nothing at run time. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Virtual address as a process sees it; see `docs/numbers.md` for its signed form. */
export type AbsoluteAddress = Brand<number, 'AbsoluteAddress'>;

/** Address as written in an ELF file (`st_value`, `p_vaddr`). */
export type FileAddress = Brand<number, 'FileAddress'>;

/** Nanoseconds since the recording's first timestamp. */
export type NanosSinceStart = Brand<number, 'NanosSinceStart'>;

/** The "no row" value of every index column. */
export const NONE = -1;
