// Children with environments and options of their own.
const { fork } = require('child_process');
const given = [
  {},
  { env: {} },
  { env: { NODE_OPTIONS: '--no-warnings' } },
  { env: Object.assign({}, process.env, { NODE_OPTIONS: '' }) },
  { execArgv: ['--stack-size=500'] },
  { env: Object.assign({}, process.env, { NODE_OPTIONS: '--trace-warnings' }), execArgv: [] },
];
function next() {
  const options = given.shift();
  if (options === undefined) return;
  const child = fork(`${__dirname}/parts/tell.cjs`, ['word'], options);
  child.on('message', (text) => console.log(text));
  child.on('exit', (code, signal) => {
    console.log(code, signal);
    next();
  });
}
next();
