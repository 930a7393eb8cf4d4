/** A reason in diagnostics: what all of the kernel's code lacks names for stands in the example. */
export const KERNEL_UNNAMED = 'kernel code is not named';

const PREFIX = 'no names for ';

/** A reason in diagnostics that says of one DSO why code in it has no names. */
export function missingNames(dso: string, why: string): string {
  return `${PREFIX}${dso}: ${why}`;
}

const LINES_PREFIX = 'no inlined calls and lines of ';

/** The same of what has names, but nothing that names come with. */
export function missingLines(dso: string, why: string): string {
  return `${LINES_PREFIX}${dso}: ${why}`;
}

/** `missingNames(x, why)` as `missingLines(x, why)`. */
export function asMissingLines(reason: string): string {
  return `${LINES_PREFIX}${reason.slice(PREFIX.length)}`;
}

/** Whether a reason in diagnostics is such a one. */
export function isMissingNames(reason: string): boolean {
  return reason.startsWith(PREFIX) || reason.startsWith(LINES_PREFIX);
}

/** A reason in diagnostics: the names may be those of other code. */
export const DOUBTFUL_NAMES =
  'names may be wrong: file without a build ID, changed since it was recorded';
