// The stack of an error that a required module throws while it is loaded.
try {
  require('./parts/throws.cjs');
} catch (error) {
  console.log(error.stack);
}
