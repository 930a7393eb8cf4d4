import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Reports of sanitizers need lines, and no variables: these took a third of the compilers' time. */
const FLAGS = ['-std=c++17', '-g1', '-O1', '-Wall', '-Wextra', '-fno-omit-frame-pointer', '-pthread'];

/**
 * How the tests are built. Under the thread sanitizer only the tests with threads are worth their
 * time. `weakened` is the proof of that run: with the ring's two ordered accesses relaxed, the
 * sanitizer must report a race.
 */
const VARIANTS = [
  { name: 'plain', flags: [], select: () => true },
  { name: 'address', flags: ['-fsanitize=address,undefined', '-fno-sanitize-recover=undefined'], select: () => true },
  { name: 'thread', flags: ['-fsanitize=thread'], select: (test) => test.includes('thread') },
  {
    name: 'weakened',
    flags: [
      '-fsanitize=thread',
      '-DPERF_TS_HEAD_ORDER=__ATOMIC_RELAXED',
      '-DPERF_TS_TAIL_ORDER=__ATOMIC_RELAXED',
    ],
    select: (test) => test === 'ring_buffer_thread_test',
    mustFailWith: 'WARNING: ThreadSanitizer: data race',
  },
];

/**
 * Builds and runs native/test/*_test.cc; arguments after `--test` select by name, and `--plain` leaves the
 * sanitizers out. 0 if all pass.
 */
export function buildAndRunTests(root) {
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const native = join(root, 'native');
  const tests = readdirSync(join(native, 'test'))
    .filter((file) => file.endsWith('_test.cc'))
    .map((file) => basename(file, '.cc'))
    .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  const headers = [join(native, 'core'), join(native, 'test')]
    .flatMap(filesBelow)
    .filter((file) => file.endsWith('.h'));
  const newestHeader = Math.max(...headers.map((file) => statSync(file).mtimeMs));
  const implementations = implementationsIn(join(native, 'core'));

  let failed = 0;
  let ran = 0;
  const variants = process.argv.includes('--plain') ? VARIANTS.slice(0, 1) : VARIANTS;
  for (const variant of variants) {
    const selected = tests.filter(variant.select);
    if (selected.length === 0) continue;
    const out = join(root, 'build/native-test', variant.name);
    mkdirSync(out, { recursive: true });
    const flags = [...FLAGS, ...variant.flags];
    const objectOf = (source) => join(out, `${basename(source, '.cc')}.o`);
    const sourcesOf = new Map(
      selected.map((name) => [
        name,
        linkedSources(join(native, 'test', `${name}.cc`), implementations),
      ]),
    );
    const stale = [...new Set([...sourcesOf.values()].flat())]
      .map((source) => [source, objectOf(source)])
      .filter(([source, object]) => isStale(object, source, newestHeader));
    if (!compile(stale, flags)) return 1;
    for (const [name, sources] of sourcesOf) {
      const program = join(out, name);
      const linked = run('g++', [...flags, '-o', program, ...sources.map(objectOf)]);
      if (linked.status !== 0) {
        process.stderr.write(linked.stderr);
        return 1;
      }
      ran++;
      if (!runTest(program, name, variant)) failed++;
    }
  }
  console.log(`native core: ${ran} test programs, ${failed} failed`);
  return failed === 0 && ran > 0 ? 0 : 1;
}

function filesBelow(directory) {
  return readdirSync(directory, { recursive: true }).map((file) => join(directory, file));
}

/** The headers of ours that a file includes, in its order. */
function includesOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(/^#include "(.+)"/gm)].map(([, header]) =>
    join(dirname(file), header),
  );
}

/** For each header the sources that implement it: those that include it before others of ours. */
function implementationsIn(directory) {
  const implementations = new Map();
  for (const source of filesBelow(directory).filter((name) => name.endsWith('.cc'))) {
    const [header] = includesOf(source);
    implementations.set(header, [...(implementations.get(header) ?? []), source]);
  }
  return implementations;
}

/** A source and, for every header of ours that it reaches, the sources that implement it. */
function linkedSources(source, implementations) {
  const sources = [source];
  const seen = new Set(sources);
  for (let i = 0; i < sources.length; i++) follow(sources[i]);
  return sources;

  function follow(file) {
    for (const header of includesOf(file)) {
      if (seen.has(header)) continue;
      seen.add(header);
      follow(header);
      for (const implementation of implementations.get(header) ?? []) {
        if (seen.has(implementation)) continue;
        seen.add(implementation);
        sources.push(implementation);
      }
    }
  }
}

function isStale(object, source, newestHeader) {
  const built = statSync(object, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return built <= Math.max(newestHeader, statSync(source).mtimeMs);
}

/** One compiler per CPU, through xargs because Node's own spawn would want a scheduler. */
function compile(pairs, flags) {
  if (pairs.length === 0) return true;
  const input = pairs.map(([source, object]) => `${source}\0${object}\0`).join('');
  const result = spawnSync(
    'xargs',
    ['-0', '-P', `${availableParallelism()}`, '-n', '2', 'sh', '-c', 'exec g++ $FLAGS -c "$0" -o "$1"'],
    { input, env: { ...process.env, FLAGS: flags.join(' ') }, stdio: ['pipe', 'inherit', 'inherit'] },
  );
  return result.status === 0;
}

function run(program, parameters) {
  return spawnSync(program, parameters, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    // One report is enough; thousands take minutes.
    env: { ...process.env, TSAN_OPTIONS: 'halt_on_error=1' },
  });
}

function runTest(program, name, variant) {
  const result = run(program, []);
  const label = `[${variant.name}] ${name}`;
  if (variant.mustFailWith !== undefined) {
    const reported = result.status !== 0 && result.stderr.includes(variant.mustFailWith);
    console.log(`${reported ? 'PASS' : 'FAIL'} ${label}: the sanitizer reports the relaxed ring`);
    return reported;
  }
  for (const line of result.stdout.split('\n')) if (line !== '') console.log(`${label}: ${line}`);
  if (result.status === 0) return true;
  process.stderr.write(result.stderr);
  console.log(`FAIL ${label}: exit status ${result.status}, signal ${result.signal}`);
  return false;
}
