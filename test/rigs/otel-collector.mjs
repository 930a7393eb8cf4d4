// Builds a Collector of OpenTelemetry from Debian's packages of its source and of Go: `node
// test/rigs/otel-collector.mjs [FOLDER]`. README.md has what it takes. Prints the path of the program.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir, setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAptState } from './debian-packages.mjs';

/** The suite that has a Collector which takes profiles (0.148 and newer). */
const SUITE = 'sid';
const SOURCE = 'golang-opentelemetry-collector-dev';
const COMPILER = 'golang-go';
/** Compiling ends when it has to: nobody waits for it. */
const NICE = 15;

const folder = resolve(process.argv[2] ?? join(homedir(), '.cache/perf-ts/otel-collector'));
const program = join(folder, 'otel-collector');
try {
  if (!existsSync(program)) build();
  console.log(program);
} catch (error) {
  console.error(`otel-collector: ${error.stderr || error.message}`);
  process.exitCode = 1;
}

function build() {
  setPriority(NICE);
  const work = join(folder, 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, 'debs'), { recursive: true });
  unpackSources(work);
  const goRoot = newestGo(join(work, 'tree/usr/lib'));
  const goPath = join(work, 'tree/usr/share/gocode');
  const own = join(goPath, 'src/perf-ts/otel-collector');
  mkdirSync(own, { recursive: true });
  const main = join(dirname(fileURLToPath(import.meta.url)), 'otel-collector/main.go');
  copyFileSync(main, join(own, 'main.go'));
  const made = join(work, 'otel-collector');
  execFileSync(
    join(goRoot, 'bin/go'),
    ['build', '-p', '1', '-trimpath', '-ldflags=-s -w', '-o', made, '.'],
    {
      cwd: own,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        GOROOT: goRoot,
        GOPATH: goPath,
        // Debian's packages are one tree of sources, without modules: nothing is fetched.
        GO111MODULE: 'off',
        GOTOOLCHAIN: 'local',
        GOFLAGS: '',
        GOCACHE: join(work, 'cache'),
        CGO_ENABLED: '0',
      },
    },
  );
  renameSync(made, program);
  rmSync(work, { recursive: true, force: true });
}

/** Fetches and unpacks the Collector's source, all that it imports, and the compiler. */
function unpackSources(work) {
  const environment = { ...process.env, APT_CONFIG: writeAptState(join(work, 'apt'), SUITE) };
  const run = (name, ...args) =>
    execFileSync(name, args, {
      cwd: join(work, 'debs'),
      encoding: 'utf8',
      env: environment,
      maxBuffer: 1 << 28,
    });
  run('apt-get', 'update', '-qq');
  const without = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const options = ['--recurse', ...without.map((kind) => `--no-${kind}`)];
  const named = run('apt-cache', 'depends', ...options, SOURCE, COMPILER).split('\n');
  const wanted = named.filter((name) => /^golang-([a-z0-9.+-]+-dev|[\d.]+-(go|src))$/.test(name));
  run('apt-get', 'download', '-qq', ...new Set(wanted));
  const archives = readdirSync(join(work, 'debs'));
  for (const archive of archives) run('dpkg-deb', '-x', archive, join(work, 'tree'));
}

function newestGo(library) {
  const found = readdirSync(library).filter((name) => name.startsWith('go-'));
  if (found.length !== 1) throw new Error(`expected one Go in ${library}, found ${found.length}`);
  return join(library, found[0]);
}
