// A Node program with stacks of every kind: JavaScript in all tiers, its builtins, C++ of V8, OpenSSL
// and zlib. Runs for as many seconds as the argument says.

const { createHash } = require('node:crypto');
const { deflateSync } = require('node:zlib');

class Tree {
  constructor(key) {
    this.key = key;
    this.left = null;
    this.right = null;
  }

  insert(key) {
    const side = key < this.key ? 'left' : 'right';
    if (this[side] === null) this[side] = new Tree(key);
    else this[side].insert(key);
  }

  sum() {
    return this.key + (this.left?.sum() ?? 0) + (this.right?.sum() ?? 0);
  }
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function work() {
  const texts = {};
  for (let i = 0; i < 300; i++) {
    texts[`k${i}`] = JSON.stringify({ i, list: [i, i + 1, { text: 'x'.repeat(i % 17) }] });
  }
  const sorted = Object.entries(texts).sort((a, b) => (a[1] < b[1] ? -1 : 1));
  const numbers = sorted.map(([, text]) => JSON.parse(text).i);
  const tree = new Tree(0.5);
  for (let i = 0; i < 400; i++) tree.insert(Math.random());
  createHash('sha256').update(JSON.stringify(numbers)).digest('hex');
  deflateSync(Buffer.from(JSON.stringify(texts)));
  'some words'.replace(/(\w+) (\w+)/g, (_, first, second) => second + first);
  return tree.sum() + fibonacci(15) + numbers.reduce((sum, number) => sum + number, 0);
}

const end = Date.now() + Number(process.argv[2]) * 1000;
async function tick() {
  work();
  await null;
  if (Date.now() < end) setImmediate(tick);
}
void tick();
