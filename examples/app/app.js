// A Node program worth profiling: it parses lines, scores what they hold, and renders the result, for
// a second of CPU time (or as many as it is told). The pages of docs/ call it app.js. By its own clock it keeps to
//
//   parse     two thirds
//   render    one third
//
// of that time, so that the pages know what a profile of it has to show on any machine.

const seconds = Number(process.argv[2] ?? 1);

function parse(text) {
  return text.split('\n').map((line) => {
    const [name, ...numbers] = line.split(',');
    return { name, numbers: numbers.map(Number) };
  });
}

function score({ numbers }) {
  let sum = 0;
  for (const number of numbers) sum += Math.sqrt(number * sum + 1);
  return sum;
}

function render(rows) {
  return rows
    .map(({ name }, index) => `<li>${name}: ${score(rows[index]).toFixed(2)}</li>`)
    .join('');
}

const text = Array.from({ length: 500 }, (_, row) => {
  return `row ${row},${Array.from({ length: 40 }, (_unused, column) => row * column).join(',')}`;
}).join('\n');

console.log('app: 500 lines to parse');
let bytes = 0;
let rows = parse(text);
const spent = { parse: 0, render: 0 };
while (spent.parse + spent.render < seconds * 1e6) {
  const before = process.cpuUsage();
  const task = spent.parse < 2 * spent.render ? 'parse' : 'render';
  if (task === 'parse') rows = parse(text);
  else bytes += render(rows).length;
  const { user, system } = process.cpuUsage(before);
  spent[task] += user + system;
}
console.log(`app: ${bytes} bytes of HTML`);
