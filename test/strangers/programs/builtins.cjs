// Functions that a preload may have wrapped: their text, names and lengths.
const texts = {
  fs: ['openSync', 'readFile'],
  vm: ['Script', 'runInContext', 'createContext'],
  net: ['connect'],
};
texts.child_process = ['spawn', 'fork', 'execFile', 'spawnSync', 'ChildProcess'];
texts.worker_threads = ['Worker', 'isMainThread'];
for (const name of Object.keys(texts)) {
  let found;
  try {
    found = require(name);
  } catch (error) {
    continue;
  }
  for (const key of texts[name]) {
    const value = found[key];
    if (typeof value !== 'function') continue;
    console.log(
      name,
      key,
      value.name,
      value.length,
      key === 'Worker' ? '' : String(value).length,
      Object.getOwnPropertyNames(value).join(),
    );
    console.log(value.prototype && Object.getOwnPropertyNames(value.prototype).join());
  }
}
console.log(String(process.on).length, String(process.emit).length, String(process.exit).length);
console.log(String(Function.prototype.toString), String(Reflect.apply));
