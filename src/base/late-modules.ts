/**
 * Modules of Node that take milliseconds to load and that most runs never use: each is loaded at its
 * first use. On Node 20 `node:tty` takes 6 to 12 ms (it brings `node:net`), `node:crypto` 13 ms;
 * `node:zlib` and `node:v8` bring all streams.
 */
export const lateModules = {
  get childProcess() {
    return process.getBuiltinModule('node:child_process');
  },
  get crypto() {
    return process.getBuiltinModule('node:crypto');
  },
  get dns() {
    return process.getBuiltinModule('node:dns/promises');
  },
  get inspector() {
    return process.getBuiltinModule('node:inspector');
  },
  get net() {
    return process.getBuiltinModule('node:net');
  },
  get tty() {
    return process.getBuiltinModule('node:tty');
  },
  get v8() {
    return process.getBuiltinModule('node:v8');
  },
  get workerThreads() {
    return process.getBuiltinModule('node:worker_threads');
  },
  get zlib() {
    return process.getBuiltinModule('node:zlib');
  },
};
