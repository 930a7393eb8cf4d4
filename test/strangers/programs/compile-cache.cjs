// Node's own compile cache, enabled by the program.
const { enableCompileCache, getCompileCacheDir, flushCompileCache } = require('node:module');
console.log(enableCompileCache('cache').status, typeof getCompileCacheDir());
require('./parts/answer.cjs');
if (flushCompileCache) flushCompileCache();
