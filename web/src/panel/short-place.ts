/** `work.ts:39` of `src/lib/work.ts:39`: in a narrow place the file's name tells the most. */
export function shortPlace(place: string): string {
  return place.replace(/^.*\/(?=[^/])/, '');
}
