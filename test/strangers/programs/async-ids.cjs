// The numbers by which async_hooks names what is waited for, and the kinds that the program itself begins.
const hooks = require('async_hooks');
console.log(hooks.executionAsyncId(), hooks.triggerAsyncId());
const seen = [];
hooks.createHook({ init: (_id, type) => seen.push(type) }).enable();
setTimeout(() => {
  Promise.resolve().then(() =>
    setImmediate(() =>
      require('fs').writeSync(1, `${seen.filter((type) => type !== 'PROMISE').join()}\n`),
    ),
  );
}, 5);
