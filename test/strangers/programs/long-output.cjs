// A megabyte on each of two pipes, and an end once both have taken it.
const line = `${'x'.repeat(99)}\n`;
for (let i = 0; i < 10000; i++) process.stdout.write(line);
process.stdout.write('', () => {
  process.stderr.write(line.repeat(10000), () => process.exit(2));
});
