// Three forked processes that do the same work.

const { fork } = require('node:child_process');

if (process.argv[2] === 'child') require('./busy.cjs').main(60);
else for (let i = 0; i < 3; i++) fork(__filename, ['child']);
