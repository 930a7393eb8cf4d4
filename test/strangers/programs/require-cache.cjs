// Modules that are loaded before the first line of the program.
const { basename } = require('path');
console.log(Object.keys(require.cache).map((path) => basename(path)));
console.log(module.parent === null || module.parent === undefined, require.main === module);
console.log(module.children.length, Object.keys(require.extensions));
