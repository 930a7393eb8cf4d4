// Forks without exec while code is compiled, and prints the milliseconds of each child: forks.cjs ADDON COUNT
const { forkOnce } = require(process.argv[2]);
const times = [];
for (let i = 0; i < Number(process.argv[3]); i++) {
  for (let j = 0; j < 100; j++) new Function('a', `return a + ${i * 1000 + j}`)(1);
  times.push(forkOnce());
}
console.log(JSON.stringify(times));
