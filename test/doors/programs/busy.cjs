// Work of known functions: `parse` calls V8's JSON parser, `hash` is arithmetic alone, `main` calls both.

function hash(text, times) {
  let sum = 0;
  for (let i = 0; i < times; i++) {
    for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  }
  return sum;
}

function parse(times) {
  let sum = 0;
  for (let i = 0; i < times; i++) sum += JSON.parse(`{"key":[${i % 100},2,3]}`).key[0];
  return sum;
}

function main(rounds) {
  const text = 'x'.repeat(10_000);
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += parse(1000) + hash(text, 100);
  return sum;
}

module.exports = { main };
if (require.main === module) main(Number(process.argv[2] ?? 150));
