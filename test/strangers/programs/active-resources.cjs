// What keeps the event loop alive.
const handles = () =>
  process
    ._getActiveHandles()
    .map((one) => one.constructor.name)
    .sort()
    .join();
console.log(handles(), process._getActiveRequests().length);
console.log(process.getActiveResourcesInfo ? process.getActiveResourcesInfo().sort().join() : '');
setImmediate(() =>
  console.log(process.getActiveResourcesInfo ? process.getActiveResourcesInfo().join() : ''),
);
