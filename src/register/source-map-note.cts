// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');

/** Path of a process's notes, next to V8's map. */
const pathOf = (pid: number): string => `/tmp/perf-ts-${pid}.notes`;

const MARK = 'sourceMappingURL=data:application/json';
/** A map beyond this is not noted; nor is anything once so much has been written. */
const MAX_NOTE_CHARACTERS = 16 * 2 ** 20;
const MAX_WRITTEN = 64 * 2 ** 20;

export type Notes = { write(note: object | null): void };

/**
 * The notes of this process, to be appended to. A file of the same name that this user does not
 * own, or that is not a regular file, is left alone, and nothing is noted. `isFirst`: notes that
 * an earlier process of the same pid left are removed. Only the first one makes the file: a worker that
 * starts while the process ends would leave a new one behind.
 */
exports.openNotes = (pid: number, isFirst: boolean): Notes => {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants;
  let file = -1;
  let written = 0;
  try {
    const path = pathOf(pid);
    const uid = process.geteuid?.();
    if (isFirst && fs.lstatSync(path, { throwIfNoEntry: false })?.uid === uid) fs.unlinkSync(path);
    const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | (isFirst ? O_CREAT : 0);
    file = fs.openSync(path, flags, 0o600);
    const stat = fs.fstatSync(file);
    if (!stat.isFile() || stat.uid !== uid) {
      fs.closeSync(file);
      file = -1;
    }
  } catch {
    // No notes then.
  }
  return {
    write(note) {
      if (note === null || file < 0 || written > MAX_WRITTEN) return;
      try {
        const line = `${JSON.stringify(note)}\n`;
        written += line.length;
        fs.writeSync(file, line);
      } catch {
        file = -1;
      }
    },
  };
};

/** Per file, what its last map looked like: test runners compile a file once for each test. */
const noted = new Map<string, string>();

/**
 * The source map at the end of a file's code as a note, without the sources themselves; null where
 * it has none, was noted before, or the code is of no file: many scripts are `evalmachine.<anonymous>`.
 */
exports.noteOf = (url: unknown, content: unknown): object | null => {
  if (typeof url !== 'string' || !/^(?:\/|[a-z][a-z+.-]*:)/.test(url)) return null;
  const code = typeof content === 'string' ? content : textOf(content);
  const at = code.lastIndexOf(MARK);
  if (at < 0 || code.length - at > MAX_NOTE_CHARACTERS) return null;
  const [, encoding, data] =
    /^[^,\s]*?(;base64)?,([^\s'"*]+)/.exec(code.slice(at + MARK.length)) ?? [];
  if (data === undefined) return null;
  const looks = [0, data.length >> 1, -64].map((from) => data.slice(from).slice(0, 64));
  const print = `${data.length} ${looks.join(' ')}`;
  if (noted.get(url) === print) return null;
  noted.set(url, print);
  try {
    const text =
      encoding === undefined ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString();
    const { sourcesContent: _, ...map } = JSON.parse(text) as Record<string, unknown>;
    return { kind: 'sourceMap', url, map };
  } catch {
    return null;
  }
};

function textOf(content: unknown): string {
  if (content instanceof ArrayBuffer) return Buffer.from(content).toString();
  if (ArrayBuffer.isView(content)) {
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
  }
  return '';
}

export declare function openNotes(pid: number, isFirst: boolean): Notes;
export declare function noteOf(url: unknown, content: unknown): object | null;
