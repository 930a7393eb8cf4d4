// Deprecations: the switches, and functions of Node that warn.
console.log(process.noDeprecation, process.throwDeprecation, process.traceDeprecation);
try {
  Buffer(3);
  process.binding('fs');
} catch (error) {
  console.log(error.message);
}
setTimeout(() => console.log('alive'), 5);
