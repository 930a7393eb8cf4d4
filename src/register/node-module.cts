// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

/**
 * `node:module`, by any module of it: to require it takes 1 ms at the start of each program, since Node makes
 * all of its exports importable then.
 */
exports.nodeModule = require.cache[__filename]?.constructor ?? require('node:module');

export declare const nodeModule: unknown;
