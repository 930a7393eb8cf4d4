// Every variable of the environment, as a shell sees it that the program starts.
const { execSync } = require('child_process');
console.log(execSync('env | grep -v ^_= | sort', { encoding: 'utf8' }));
