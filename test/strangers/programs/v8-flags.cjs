// V8's flags: the hash that decides whether code caches are taken, and one that is set later.
const v8 = require('v8');
console.log(v8.cachedDataVersionTag());
v8.setFlagsFromString('--allow-natives-syntax');
console.log(require('vm').runInThisContext('%StringParseInt("12", 10)'));
console.log(Object.keys(v8.getHeapStatistics()).length);
