// Awaits at the top of a module, and one that never ends: status 13.
console.log(await Promise.resolve('first'));
await import('./parts/answer.cjs').then((all) => console.log(all.default));
await new Promise(() => {});
