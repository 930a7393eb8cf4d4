// Stack traces: text, length, and the calls that a program's own formatter gets.
function nested(depth) {
  return depth > 0 ? nested(depth - 1) : new Error('at the bottom');
}
console.log(Error.stackTraceLimit, nested(3).stack);
Error.stackTraceLimit = 100;
console.log(nested(20).stack);
Error.stackTraceLimit = Infinity;
console.log(nested(2).stack);
const target = {};
Error.captureStackTrace(target, nested);
console.log(target.stack);
console.log(typeof Error.prepareStackTrace);
Error.prepareStackTrace = (error, calls) => calls.map((call) => String(call.getFunctionName()));
console.log(nested(2).stack);
