// Errors of code that node:vm compiles, those of its syntax included.
const vm = require('vm');
for (const text of ['null.x', 'let a b', '(() => { throw new Error("in a function") })()']) {
  try {
    vm.runInNewContext(text, {}, { filename: 'made.js' });
  } catch (error) {
    console.log(error.stack);
  }
}
