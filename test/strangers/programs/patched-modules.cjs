// Calls that a program sees which has wrapped Node's functions.
const seen = [];
function wrap(object, name, label) {
  const original = object[name];
  object[name] = function wrapped() {
    seen.push(label);
    return Reflect.apply(original, this, arguments);
  };
}
const fs = require('fs');
for (const name of Object.keys(fs))
  if (typeof fs[name] === 'function' && /^[a-z]/.test(name)) wrap(fs, name, `fs.${name}`);
for (const name of ['on', 'emit', 'once', 'umask', 'binding', 'removeListener'])
  wrap(process, name, `process.${name}`);
wrap(require('net').Server.prototype, 'listen', 'listen');
wrap(require('net').Socket.prototype, 'connect', 'connect');
wrap(require('inspector').Session.prototype, 'connect', 'session');
wrap(Array.prototype, 'push', 'push');
setTimeout(() => {
  require('./parts/answer.cjs');
  require('vm').runInNewContext('1');
  const text = seen.filter((label) => label !== 'push').join('\n');
  process.stdout.write(`${text}\n`);
}, 20);
