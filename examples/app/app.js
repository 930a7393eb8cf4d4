// A Node program worth profiling: it parses lines, scores what they hold, and renders the result, for
// about a second (or as many as it is told). The pages of docs/ call it app.js.

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

const end = performance.now() + seconds * 1000;
let bytes = 0;
while (performance.now() < end) bytes += render(parse(text)).length;
console.log(`app: ${bytes} bytes of HTML`);
