// The stack of an error behind awaits.
const turn = () => new Promise((resolve) => setImmediate(resolve));
async function inner() {
  await turn();
  throw new Error('after a turn');
}
async function outer() {
  await inner();
}
outer().catch((error) => console.log(error.stack));
