// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

/**
 * `node:fs`, required once: up to Node 22 each `require` of a module of Node makes all of its exports importable
 * anew, 0.1 ms for this one.
 */
exports.fs = require('node:fs');

export declare const fs: typeof import('node:fs');
