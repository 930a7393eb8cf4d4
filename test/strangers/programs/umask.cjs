// The mask of new files, read over and over, and the mode that files get.
const fs = require('fs');
const masks = new Set();
let turns = 0;
(function turn() {
  masks.add(process.umask().toString(8));
  fs.writeFileSync('made.txt', '');
  masks.add((fs.statSync('made.txt').mode & 0o777).toString(8));
  if (turns++ < 50) return setImmediate(turn);
  return console.log(Array.from(masks));
})();
