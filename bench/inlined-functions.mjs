/**
 * Text of functions that V8 puts into one another: outer calls middle, which calls leafSqrt, where the
 * time goes, and cheap.
 */
export const INLINED_FUNCTIONS = `\
function leafSqrt(x) {
  let s = 0;
  for (let i = 0; i < 40; i++) s += Math.sqrt(x + i * s);
  return s;
}
function cheap(x) {
  return x + 1;
}
function middle(x) {
  let t = 0;
  for (let i = 0; i < 10; i++) t += leafSqrt(cheap(x + i));
  return t;
}
function outer(n) {
  let t = 0;
  for (let i = 0; i < n; i++) t += middle(i);
  return t;
}`;
