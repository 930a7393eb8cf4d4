// Waits in turns of the event loop until the file of STRANGERS_GO is there, then is the program after it.
const fs = require('fs');
const go = process.env.STRANGERS_GO;
const path = process.argv[2];
process.argv.splice(1, 1);
delete process.env.STRANGERS_GO;
function warm(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.sqrt(i) % 7;
  return sum;
}
fs.writeFileSync(`${go}.ready`, '');
// One timer for all turns: their number is not seen by the program.
const timer = setInterval(() => {
  warm(20000);
  if (!fs.existsSync(go)) return;
  clearInterval(timer);
  require(path);
}, 10);
