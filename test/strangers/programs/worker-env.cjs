// Workers with environments of their own: none, a copy, the shared one.
const { Worker, SHARE_ENV } = require('worker_threads');
const text = `process.env.SET_INSIDE = '1';
require('fs').writeSync(1, Object.keys(process.env).sort().join() + ' ' + process.execArgv.length + '\\n')`;
const copy = Object.assign({}, process.env);
const kinds = [
  { env: {} },
  { env: { ONLY: 'this' } },
  { env: copy },
  { execArgv: [] },
  { env: SHARE_ENV },
];
function next() {
  const kind = kinds.shift();
  if (kind === undefined) return console.log('SET_INSIDE', process.env.SET_INSIDE);
  return new Worker(text, Object.assign({ eval: true }, kind)).on('exit', next);
}
next();
