// The hash of V8's version and flags, by which V8 takes or refuses a code cache.
console.log(require('v8').cachedDataVersionTag());
