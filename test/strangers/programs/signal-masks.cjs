// Signals that are blocked, ignored and caught, and limits.
const text = String(require('fs').readFileSync('/proc/self/status'));
for (const line of text
  .split('\n')
  .filter((one) => /^Sig(Blk|Ign)|^Seccomp:|^NoNewPrivs/.test(one)))
  console.log(line);
console.log(String(require('fs').readFileSync('/proc/self/limits')));
console.log(
  require('child_process').execSync('grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status', {
    encoding: 'utf8',
  }),
);
