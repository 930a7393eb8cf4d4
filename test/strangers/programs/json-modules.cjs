// JSON as a module, and JSON that is none.
console.log(require('./parts/data.json'));
require('fs').writeFileSync('bad.json', '{ "a": }');
try {
  require(require('path').resolve('bad.json'));
} catch (error) {
  console.log(error.name, error.message.split('\n')[0].replace(process.cwd(), ''));
}
