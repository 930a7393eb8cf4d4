#!/usr/bin/env bash
# Does what a new user does with the package beside it, perf-ts.tgz, in an empty folder: installs it, records,
# looks. Ends with the seconds that it took. Needs Node and npm alone.
set -euo pipefail

for tool in g++ cc make python3; do
  if command -v "$tool" >/dev/null; then echo "$tool is here: this shows nothing" >&2; exit 1; fi
done
folder="project with spaces"
mkdir "$folder"
cd "$folder"
echo '{ "name": "app", "version": "1.0.0" }' >package.json
cat >app.js <<'J'
const words = new Map();
for (let i = 0; i < 6e6; i++) words.set(`w${i % 5000}`, (words.get(`w${i % 5000}`) ?? 0) + 1);
console.log(words.size);
J
# A registry that does not answer is a failure after two minutes, and no check that hangs.
export npm_config_fetch_retries=1 npm_config_fetch_timeout=60000
start=$(date +%s%N)
npm install --no-audit --no-fund ../perf-ts.tgz
npx perf-ts record -F 999 -g -- node app.js
npx perf-ts export --format html -o profile.html
echo "first use: $((($(date +%s%N) - start) / 1000000)) ms from npm install to a flame graph"
npx perf-ts report -n 3
npx perf-ts stat -- node -e 0

# As package-lock.json has it, and from a folder that its user can't write.
npm ci --no-audit --no-fund
chmod -R a-w node_modules
cd ..
mkdir elsewhere
cd elsewhere
"../$folder/node_modules/.bin/perf-ts" record -q -F 999 -- node "../$folder/app.js"
"../$folder/node_modules/.bin/perf-ts" info >/dev/null
chmod -R u+w "../$folder/node_modules"
