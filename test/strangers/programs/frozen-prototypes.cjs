// Prototypes that nobody may change, before workers and children start.
'use strict';
for (const one of [Object, Array, Function, Map, Set, Promise, String, RegExp, Error])
  Object.freeze(one.prototype);
Object.freeze(process.constructor.prototype);
const { Worker } = require('worker_threads');
const { spawnSync } = require('child_process');
console.log(String(spawnSync(process.execPath, ['-p', '1 + 1']).stdout));
const text = 'Object.freeze(Object.prototype); require("fs").writeSync(1, "worker\\n")';
new Worker(text, { eval: true }).on('exit', (code) => console.log(code));
