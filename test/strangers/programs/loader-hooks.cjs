// Loaders in the thread that loads, by module.registerHooks, and their end.
const { registerHooks } = require('node:module');
const seen = [];
const hooks = registerHooks({
  load(url, context, next) {
    seen.push(url.split('/').pop());
    return next(url, context);
  },
});
require('./parts/answer.cjs');
hooks.deregister();
require('./parts/data.json');
console.log(seen);
