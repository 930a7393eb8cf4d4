// A recursion without an end.
let depth = 0;
function deeper() {
  depth++;
  deeper();
}
try {
  deeper();
} catch (error) {
  console.log(error.message, depth > 1000);
}
