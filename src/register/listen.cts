// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');
const { loadLibrary, codeEventsLibrary } =
  require('./code-events.cjs') as typeof import('./code-events.cts');
const { isMainThread } = require('./thread-note.cjs') as typeof import('./thread-note.cts');

/** Request of a recorder. */
export type TakeInRequest = Pick<import('./take-in.cts').TakeIn, 'socket' | 'yields'>;

/**
 * Folder of the sockets of one user's processes, which nobody else can pass: in the user's own folder
 * of the session where the system has one, since anybody may take a name in /tmp.
 * `record/code-events/registered.ts` looks there too.
 */
const folderOf = (uid: number): string => {
  const runtime = `/run/user/${uid}`;
  return isOwn(runtime, uid) ? `${runtime}/perf-ts` : `/tmp/perf-ts-${uid}`;
};

function isOwn(folder: string, uid: number): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stat?.uid === uid && (stat.mode & 0o170077) === 0o040000;
}

/** The errno as the code-events library writes it. */
const ENOENT = '2';

/**
 * Lets a recorder ask this process for its code, at a Unix socket that its own user and root alone can
 * reach. A thread of the code-events library listens there, so that the program has no handle, no listener and no
 * module more. Throws where there can be no such socket.
 */
exports.listen = (): void => {
  if (!isMainThread) return;
  const library = codeEventsLibrary();
  const uid = process.geteuid?.();
  if (library === null || uid === undefined) throw new Error('no code-events library here');
  const folder = folderOf(uid);
  const make = (): unknown => fs.mkdirSync(folder, { mode: 0o700, recursive: true });
  make();
  if (!isOwn(folder, uid)) throw new Error(`${folder} is another's`);
  removeStale(folder, library);
  const open = (): void => {
    loadLibrary(library).listen(`${folder}/${process.pid}.sock`, (request) =>
      JSON.stringify(answerTo(request, library)),
    );
  };
  try {
    open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== ENOENT) throw error;
    // `doctor --clean` has just removed the empty folder.
    make();
    open();
  }
};

/** Sockets of processes that were killed. */
function removeStale(folder: string, library: string): void {
  for (const name of fs.readdirSync(folder)) {
    const pid = Number(/^(\d+)\.sock$/.exec(name)?.[1]);
    const path = `${folder}/${name}`;
    const isOwnPid = pid === process.pid;
    if (!isOwnPid && (!Number.isInteger(pid) || fs.existsSync(`/proc/${pid}`))) continue;
    // A process of another PID namespace, a container that shares /tmp, has no `/proc/PID` here, and listens.
    if (isOwnPid || loadLibrary(library).isDeaf(path)) fs.rmSync(path, { force: true });
  }
}

/** The answer to the line of a recorder of this user or root. */
function answerTo(request: string, library: string): object {
  try {
    const { takeIn } = require('./take-in.cjs') as typeof import('./take-in.cts');
    const { socket, yields = false } = JSON.parse(request) as TakeInRequest;
    const taken = takeIn({ library, socket, yields, closesInspector: false }, () => {});
    return { taken: JSON.parse(taken) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

export declare function listen(): void;
