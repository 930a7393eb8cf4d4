import { mainScript } from '../../../src/code/javascript/main-script.ts';
import type { ProfileThread } from '../../../src/profile/types.ts';

/** Programs that run another one, which is what was profiled. */
const WRAPPERS =
  /^(?:env|timeout|nice|taskset|sudo|npx|bunx|time|setsid|nohup|stdbuf|chrt|ionice)$/;
/**
 * The name of what ran, from the command that recorded it: `server.ts` of `perf-ts record -g -- tsx src/server.ts`.
 * Null where the command does not contain one: recordings of a process, of the whole machine, texts.
 */
export function programTitle(commandLine: readonly string[]): string | null {
  const end = commandLine.indexOf('--');
  if (end < 0) return null;
  const words = commandLine.slice(end + 1);
  let at = 0;
  for (; at < words.length; at++) {
    const name = fileName(words[at]);
    const isPrefix = WRAPPERS.test(name) || name.startsWith('-') || /^\w+=/.test(name);
    if (!isPrefix && !/^\d+(?:\.\d+)?[smhd]?$/.test(name)) break;
  }
  const program = words[at];
  if (program === undefined) return null;
  return fileName(mainScript(words.slice(at)) ?? program);
}

/** An option that names a process or a thread to attach to: `-p 12`, `--pid=12,13`, `-t12`. */
const ATTACH_OPTION = /^(?:-([pt])|--(pid|tid)(?:=|$))(.*)$/;

/**
 * The processes or threads that a recording was attached to: `node (pid 12)`. Null where the command names none, or
 * the recording has none of them.
 */
export function attachedTitle(
  commandLine: readonly string[],
  threads: readonly Pick<ProfileThread, 'pid' | 'tid' | 'comm'>[],
): string | null {
  const titles = commandLine.flatMap((word, at) => {
    const [, short, long, value] = ATTACH_OPTION.exec(word) ?? [];
    if (value === undefined) return [];
    const kind = short === 't' || long === 'tid' ? 'tid' : 'pid';
    const ids = (value === '' ? (commandLine[at + 1] ?? '') : value).split(',').map(Number);
    return ids.flatMap((id) => {
      const named = threads.find(({ tid }) => tid === id) ?? threads.find(({ pid }) => pid === id);
      return named === undefined || named.comm === '' ? [] : [`${named.comm} (${kind} ${id})`];
    });
  });
  return titles.length === 0 ? null : titles.join(', ');
}

function fileName(path: string): string {
  return path.replace(/\/+$/, '').replace(/^.*\//, '');
}
