// A function of WebAssembly, and one that traps.
const bytes = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 3, 2, 0, 0, 7, 9, 2, 1, 102, 0, 0, 1, 103,
  0, 1, 10, 10, 2, 4, 0, 65, 42, 11, 3, 0, 0, 11,
]);
WebAssembly.instantiate(bytes).then(
  ({ instance }) => {
    console.log(instance.exports.f());
    try {
      instance.exports.g();
    } catch (error) {
      console.log(error.stack);
    }
  },
  (error) => console.log(error.message),
);
