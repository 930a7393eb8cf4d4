// Exceptions and rejections with a handler.
process.on('uncaughtException', (error, origin) => console.log(error.message, origin));
process.on('unhandledRejection', (error) => console.log('rejected', error.message));
Promise.reject(new Error('a rejection'));
setTimeout(() => {
  throw new Error('an exception');
}, 5);
