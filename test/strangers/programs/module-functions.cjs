// Functions of node:module as a program that patches or prints them sees them.
const Module = require('module');
console.log(Object.keys(Module).sort().join());
console.log(Object.getOwnPropertyNames(Module.prototype).join());
for (const name of ['register', 'registerHooks', '_load', 'createRequire']) {
  const found = Module[name];
  if (typeof found !== 'function') continue;
  console.log(name, found.name, found.length, Function.prototype.toString.call(found));
  console.log(JSON.stringify(Object.getOwnPropertyDescriptor(Module, name)));
}
const compile = Module.prototype._compile;
console.log(compile.name, compile.length, Module._extensions['.js'].length);
Module.prototype._compile = function patched(text, file) {
  return compile.call(this, `${text};module.exports.patched = true`, file);
};
console.log(require('./parts/answer.cjs'));
