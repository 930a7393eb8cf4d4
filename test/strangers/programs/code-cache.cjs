// V8's code cache of a script: made, taken, refused.
const { Script } = require('vm');
const text = 'function made() { return 5 } made()';
const first = new Script(text, { filename: 'made.js', produceCachedData: true });
const { cachedData } = first;
console.log(
  first.cachedDataProduced,
  new Script(text, { filename: 'made.js', cachedData }).cachedDataRejected,
);
console.log(new Script(`${text}+1`, { filename: 'made.js', cachedData }).cachedDataRejected);
