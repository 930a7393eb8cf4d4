// Names of the global object and of process, and their symbols.
console.log(Object.getOwnPropertyNames(global).sort().join());
console.log(Object.getOwnPropertySymbols(global).map(String).join());
console.log(Object.getOwnPropertyNames(process).sort().join());
console.log(Object.getOwnPropertySymbols(process).map(String).sort().join());
console.log(require('module').builtinModules.length);
