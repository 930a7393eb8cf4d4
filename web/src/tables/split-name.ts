/**
 * Cuts a name before the part that says most, so that what stands before it can give way:
 *
 *   node::crypto::Hash<EVP_MD>::Update(char const*)  ->  node::crypto::Hash<EVP_MD>:: | Update(char const*)
 *   score /srv/app/src/work.ts:39                    ->  score /srv/app/src/          | work.ts:39
 *   /usr/lib/x86_64-linux-gnu/libc.so.6              ->  /usr/lib/x86_64-linux-gnu/   | libc.so.6
 *
 * A name without such parts is all tail.
 */
export function splitName(name: string): { readonly head: string; readonly tail: string } {
  const at = PLACE_OR_PATH.test(name) ? name.lastIndexOf('/') + 1 : lastScope(name);
  return { head: name.slice(0, at), tail: name.slice(at) };
}

/** A path at the end: of a file, or of the script that a function is in. */
const PLACE_OR_PATH = /(?:^|\s)(?:[a-z]+:)?\.{0,2}\/\S[^()<>]*$/;

/** The place behind the last `::` that stands in no bracket and has something behind it; 0 if there is none. */
function lastScope(name: string): number {
  let depth = 0;
  let found = 0;
  for (let at = 0; at < name.length; at++) {
    const letter = name[at];
    if ('(<[{'.includes(letter)) depth++;
    else if (')>]}'.includes(letter)) depth--;
    else if (depth === 0 && letter === ':' && name[at + 1] === ':') {
      if (at + 2 < name.length) found = at + 2;
      at++;
    }
    // `operator<`, `a->b`: brackets that are none.
    if (depth < 0) depth = 0;
  }
  return found;
}
