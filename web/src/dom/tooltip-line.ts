/** A figure in the box beside the pointer. */
export type TooltipLine = { readonly term: string; readonly text: string };
