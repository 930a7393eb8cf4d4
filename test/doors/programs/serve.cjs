// Works until it is killed, and prints a line when it began: for recorders that attach.

const { main } = require('./busy.cjs');

console.log('working');
setInterval(() => main(1));
