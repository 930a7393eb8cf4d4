// Threads of the process.
console.log(require('fs').readdirSync('/proc/self/task').length);
