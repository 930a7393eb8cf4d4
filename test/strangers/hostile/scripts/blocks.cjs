// Short turns of JavaScript between long blocking calls, as batch programs have them.
const { execFileSync } = require('child_process');
console.log('ready');
setTimeout(function turn() {
  const end = Date.now() + 3;
  while (Date.now() < end);
  execFileSync('sleep', ['60']);
  setTimeout(turn, 1);
}, 1500);
