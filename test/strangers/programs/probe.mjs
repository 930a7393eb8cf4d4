// A module with an import, an await of a turn and an end by itself, for each of Node's flags.
import fs from 'fs';

const turn = () => new Promise((resolve) => setImmediate(resolve));
function work(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.sqrt(i) % 7;
  return sum;
}
turn().then(() => {
  console.log(typeof fs.readFileSync, work(300000) > 0);
  process.exitCode = 3;
});
