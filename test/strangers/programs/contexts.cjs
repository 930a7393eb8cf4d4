// Contexts of node:vm, and the class of their scripts.
const vm = require('vm');
const context = vm.createContext({ seen: [] });
vm.runInContext(
  'seen.push(typeof require, typeof process, Object.getOwnPropertyNames(this).length)',
  context,
);
console.log(context.seen, vm.isContext(context), new vm.Script('2').runInThisContext());
console.log(vm.Script.prototype.constructor === vm.Script, new vm.Script('1') instanceof vm.Script);
class Mine extends vm.Script {}
console.log(new Mine('1 + 2').runInNewContext(), Object.getOwnPropertyNames(vm).join());
console.log(vm.compileFunction ? vm.compileFunction('return a + 1', ['a'])(2) : 3);
