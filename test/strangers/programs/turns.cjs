// Order of ticks, microtasks, timers and immediates.
setTimeout(() => console.log('timeout'), 0);
setTimeout(() => setImmediate(() => console.log('immediate')), 5);
process.nextTick(() => console.log('tick'));
Promise.resolve()
  .then(() => console.log('microtask'))
  .then(() => process.nextTick(() => console.log('tick of a microtask')));
console.log('sync');
