import { createRequire } from 'node:module';

type Notes = { write(note: object | null): void };
type Helper = {
  openNotes(pid: number, isFirst: boolean): Notes;
  noteOf(url: string, content: unknown): object | null;
};
type LoadResult = { readonly format: string; readonly source?: unknown };
type NextLoad = (url: string, context: object) => Promise<LoadResult>;

const { noteOf, openNotes } = createRequire(import.meta.url)('./source-map-note.cjs') as Helper;

let notes: Notes | null = null;

/** Called by Node in the thread of the loaders, once for each registration. */
export function initialize({ pid }: { readonly pid: number }): void {
  notes = openNotes(pid, false);
}

/** Notes the source map of what the loaders registered before made of a module. */
export async function load(url: string, context: object, nextLoad: NextLoad): Promise<LoadResult> {
  const result = await nextLoad(url, context);
  notes?.write(noteOf(url, result.source));
  return result;
}
