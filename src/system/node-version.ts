/** `engines` of package.json states the same. */
const OLDEST_NODE = [20, 19] as const;

/**
 * Why this Node can't run perf-ts, in one line; null where it can. Imports nothing, and is asked before
 * anything else is loaded: an older Node fails at syntax and names that it does not know, in many lines.
 */
export function whyNodeTooOld(
  version: string = process.versions.node,
  execPath: string = process.execPath,
): string | null {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return `perf-ts needs Node ${OLDEST_NODE.join('.')} or later; this is ${version} (${execPath}): npm install -D node@22 brings one for this folder`;
}
