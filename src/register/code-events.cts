// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const fs = require('node:fs') as typeof import('node:fs');
const path = require('node:path') as typeof import('node:path');

type CodeEventsAddon = {
  /** Sends the calling thread's code; throws with the reason if that can't be. */
  start(socket: string, existing: boolean, onEnd?: () => void): void;
  stop(): void;
};

const ROOT = path.join(__dirname, '../..');
/** Built here, else the package's own; both hold no C library's name. */
const PLACES = [
  'build/Release/perf_ts_code_events.node',
  `prebuilds/${process.platform}-${process.arch}/code-events.so`,
];

/** Path of the library that V8's code is reported by; null where this package has none. */
const addonPath = (): string | null =>
  PLACES.map((place) => path.join(ROOT, place)).find((file) => fs.existsSync(file)) ?? null;

/**
 * Reports the code of the calling thread to the recorder that listens at `socket`, until it closes or
 * this process ends; `existing`: also what was compiled before. Throws where that can't be.
 */
exports.sendCode = (socket: string, existing: boolean, onEnd?: () => void): void => {
  const file = addonPath();
  if (file === null) throw new Error('perf-ts has no code-events library for this machine');
  const addon = { exports: {} as CodeEventsAddon };
  process.dlopen(addon as unknown as NodeJS.Module, file);
  addon.exports.start(socket, existing, onEnd);
};

export declare function sendCode(socket: string, existing: boolean, onEnd?: () => void): void;
