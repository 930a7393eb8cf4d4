// V8's flags: one that is set later.
const v8 = require('v8');
v8.setFlagsFromString('--allow-natives-syntax');
console.log(require('vm').runInThisContext('%StringParseInt("12", 10)'));
console.log(Object.keys(v8.getHeapStatistics()).length);
