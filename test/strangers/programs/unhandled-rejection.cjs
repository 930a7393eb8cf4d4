// A rejection that nobody handles.
Promise.reject(new Error('nobody handles this'));
setTimeout(() => console.log('later'), 20);
