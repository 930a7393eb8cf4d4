// AsyncLocalStorage across timers, promises and events.
const { AsyncLocalStorage } = require('async_hooks');
const storage = new AsyncLocalStorage();
console.log(storage.getStore());
storage.run('inside', () => {
  setTimeout(() => Promise.resolve().then(() => console.log(storage.getStore())), 2);
  process.nextTick(() => console.log(storage.getStore()));
});
process.on('exit', () => console.log(storage.getStore()));
