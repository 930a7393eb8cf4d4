// Words that the program was started with.
const { basename } = require('path');
console.log(
  process.execArgv.map((word) => basename(word)),
  process.argv.slice(2),
);
console.log(basename(process.argv[1]), basename(process.execPath), basename(process.argv0));
console.log(process.title === process.argv0 || basename(process.title));
