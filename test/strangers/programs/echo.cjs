// Standard input, written back.
let bytes = 0;
process.stdin.on('data', (part) => {
  bytes += part.length;
  process.stdout.write(part);
});
process.stdin.on('end', () => console.log(bytes, process.stdin.isTTY, process.stdout.isTTY));
