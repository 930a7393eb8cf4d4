// A program that closes every descriptor above its own output, as daemons do.
const fs = require('fs');
const open = fs
  .readdirSync('/proc/self/fd')
  .map(Number)
  .filter((fd) => fd > 2);
for (const fd of open) {
  const target = (() => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`);
    } catch (error) {
      return '';
    }
  })();
  // Node's own would end it.
  if (!target.startsWith('socket:') && !target.startsWith('/')) continue;
  fs.closeSync(fd);
}
console.log('closed');
setTimeout(() => console.log('later'), 20);
