import { readFileSync } from 'node:fs';
import { textOfBytes } from '../../base/byte-text.ts';

// Node decodes arguments and environment as UTF-8 and puts U+FFFD where they are not. The kernel
// still has the bytes; the strings returned here keep them, see base/byte-text.

const REPLACEMENT = '\ufffd';

/** This process's arguments after the script, without loss. */
export function exactArguments(
  decoded: readonly string[] = process.argv.slice(2),
  readBytes: () => Uint8Array = () => readFileSync('/proc/self/cmdline'),
): readonly string[] {
  if (!decoded.some((word) => word.includes(REPLACEMENT))) return decoded;
  const all = entriesOf(readBytes);
  return decoded.length > all.length ? decoded : all.slice(-decoded.length).map(textOfBytes);
}

/** `env` with the bytes that this process was started with, where its variables still have them. */
export function exactEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
  readBytes: () => Uint8Array = () => readFileSync('/proc/self/environ'),
): Readonly<Record<string, string | undefined>> {
  const isLossy = ([name, value = '']: [string, string | undefined]): boolean =>
    `${name}${value}`.includes(REPLACEMENT);
  const entries = Object.entries(env);
  if (!entries.some(isLossy)) return env;
  const exact = Object.fromEntries(entries);
  for (const bytes of entriesOf(readBytes)) {
    const [lossyName, lossyValue] = splitVariable(Buffer.from(bytes).toString('utf8'));
    if (exact[lossyName] !== lossyValue) continue;
    const [name, value] = splitVariable(textOfBytes(bytes));
    if (name !== lossyName) delete exact[lossyName];
    exact[name] = value;
  }
  return exact;
}

function splitVariable(entry: string): [name: string, value: string] {
  const at = entry.indexOf('=', 1);
  return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
}

/** NUL ends each; empty where it can't be read. */
function entriesOf(readBytes: () => Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let bytes: Uint8Array;
  try {
    bytes = readBytes();
  } catch {
    return [];
  }
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    entries.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return entries;
}
