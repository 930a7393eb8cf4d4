// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
import type { Server, Socket } from 'node:net';

const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');
const { loadLibrary, codeEventsLibrary } =
  require('./code-events.cjs') as typeof import('./code-events.cts');

/** A request is one short line. */
const MOST_REQUEST_BYTES = 4096;

/** Request of a recorder; `socket`: where it takes the code. */
export type TakeInRequest = {
  readonly socket: string;
  /** Whether it makes room for another recorder, as V8 tells one: it listens all the time. */
  readonly yields?: boolean;
};

/**
 * Folder of the sockets of one user's processes, which nobody else can pass: in the user's own folder of the
 * session where the system has one, since anybody may take a name in /tmp. `record/code-events/registered.ts` looks
 * there too.
 */
const folderOf = (uid: number): string => {
  const runtime = `/run/user/${uid}`;
  return isOwn(runtime, uid) ? `${runtime}/perf-ts` : `/tmp/perf-ts-${uid}`;
};

function isOwn(folder: string, uid: number): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stat?.uid === uid && (stat.mode & 0o170077) === 0o040000;
}

/** Recorders that take the code of this process now. */
let recorders = 0;
/** The one that was taken in last makes room. */
let isYielding = false;

/**
 * Lets a recorder ask this process for its code, at a Unix socket that its own user and root alone can
 * reach. The listening does not keep the process running. Throws where there can be no such socket.
 */
exports.listen = (): void => {
  const library = codeEventsLibrary();
  const uid = process.geteuid?.();
  if (library === null || uid === undefined) throw new Error('no code-events library here');
  const folder = folderOf(uid);
  fs.mkdirSync(folder, { mode: 0o700, recursive: true });
  if (!isOwn(folder, uid)) throw new Error(`${folder} is another's`);
  removeStale(folder);
  const path = `${folder}/${process.pid}.sock`;
  const { createServer } = require('node:net') as typeof import('node:net');
  const server: Server = createServer((socket) => answer(socket, uid, library));
  const open = (): void => {
    fs.mkdirSync(folder, { mode: 0o700, recursive: true });
    // A worker of a cluster would let its parent listen.
    server.listen({ path, exclusive: true });
  };
  // `doctor --clean` may just have removed the empty folder.
  server.once('error', ({ code }: NodeJS.ErrnoException) => {
    server.on('error', () => {});
    if (code === 'ENOENT') open();
  });
  open();
  server.unref();
  process.on('exit', () => {
    try {
      fs.unlinkSync(path);
    } catch {
      // Gone with the folder.
    }
  });
};

/** Sockets of processes that were killed. */
function removeStale(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    const pid = Number(/^(\d+)\.sock$/.exec(name)?.[1]);
    const path = `${folder}/${name}`;
    if (pid === process.pid) fs.rmSync(path, { force: true });
    else if (Number.isInteger(pid) && !fs.existsSync(`/proc/${pid}`)) removeIfDeaf(path);
  }
}

/** A process of another PID namespace, a container that shares /tmp, has no `/proc/PID` here, and listens. */
function removeIfDeaf(path: string): void {
  const { createConnection } = require('node:net') as typeof import('node:net');
  const asked = createConnection(path);
  asked.unref();
  asked.on('connect', () => asked.destroy());
  asked.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'ECONNREFUSED') return;
    try {
      fs.unlinkSync(path);
    } catch {
      // Gone, or another user's.
    }
  });
}

function answer(socket: Socket, uid: number, library: string): void {
  socket.unref();
  socket.on('error', () => {});
  let request = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    request += text;
    if (request.length > MOST_REQUEST_BYTES) socket.destroy();
    if (!request.endsWith('\n')) return;
    socket.end(`${JSON.stringify(answerTo(request, socket, uid, library))}\n`);
  });
}

function answerTo(request: string, socket: Socket, uid: number, library: string): object {
  try {
    const { fd = -1 } =
      (socket as Socket & { readonly _handle?: { readonly fd?: number } })._handle ?? {};
    const peer = loadLibrary(library).peerUid(fd);
    if (peer !== 0 && peer !== uid) return { failure: `uid ${peer} may not profile uid ${uid}` };
    const { takeIn } = require('./take-in.cjs') as typeof import('./take-in.cts');
    const { socket: recorder, yields = false } = JSON.parse(request) as TakeInRequest;
    const replaces = recorders > 0 && isYielding && !yields;
    const options = { library, socket: recorder, closesInspector: false, replaces };
    const taken = takeIn(options, () => recorders--);
    recorders++;
    isYielding = yields;
    return { taken: JSON.parse(taken) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

export declare function listen(): void;
