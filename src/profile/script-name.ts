const PLACE = /:\d+(?::\d+)?$/;

/**
 * The name of a JavaScript function without its place, which names of such functions have behind
 * them: `handle src/server.ts:12` of the file `/srv/src/server.ts` is `handle`. The place is known by
 * the file, whose end it is: names and paths both may have spaces. A name without it comes out as it is.
 */
export function scriptName(label: string, path: string): string {
  const named = label.replace(PLACE, '');
  // From the left: the longest end of the path is the one that was written.
  for (let at = named.indexOf(' '); at >= 0; at = named.indexOf(' ', at + 1)) {
    if (at + 1 < named.length && path.endsWith(named.slice(at + 1))) return named.slice(0, at);
  }
  return label;
}

/**
 * A function as two columns show it. JavaScript has its script and place in the first, `src/server.ts:12`, and its name
 * without them in the second; other code has its DSO. `path` is empty where the source is not known.
 */
export function nameInFile(
  label: string,
  path: string,
  dso: string,
): readonly [file: string, name: string] {
  const name = path === '' ? label : scriptName(label, path);
  return name === label ? [dso, label] : [label.slice(name.length + 1), name];
}
