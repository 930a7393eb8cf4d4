// Who listens to the process's events.
const names = process.eventNames().map(String).sort();
for (const name of names) console.log(name, process.listenerCount(name));
console.log(process.getMaxListeners(), names.length);
