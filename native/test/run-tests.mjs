import { execFile } from 'node:child_process';
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
 * Builds and runs native/test/*_test.cc, one per CPU at a time; arguments after `--test` select by name, and
 * `--plain` leaves the sanitizers out. 0 if all pass.
 */
export async function buildAndRunTests(root) {
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

  const compilations = [];
  const programs = [];
  const variants = process.argv.includes('--plain') ? VARIANTS.slice(0, 1) : VARIANTS;
  for (const variant of variants) {
    const out = join(root, 'build/native-test', variant.name);
    mkdirSync(out, { recursive: true });
    const flags = [...FLAGS, ...variant.flags];
    const objects = new Map();
    for (const name of tests.filter(variant.select)) {
      const sources = linkedSources(join(native, 'test', `${name}.cc`), implementations);
      for (const source of sources) objects.set(source, join(out, `${basename(source, '.cc')}.o`));
      const linked = sources.map((source) => objects.get(source));
      programs.push({ name, variant, flags, path: join(out, name), objects: linked });
    }
    for (const [source, object] of objects) {
      if (isStale(object, source, newestHeader)) compilations.push([...flags, '-c', source, '-o', object]);
    }
  }
  const compiled = await forEachOnAllCpus(compilations, compile);
  if (compiled.includes(false)) return 1;
  const passed = await forEachOnAllCpus(programs, linkAndRun);
  const failed = passed.filter((hasPassed) => !hasPassed).length;
  console.log(`native core: ${passed.length} test programs, ${failed} failed`);
  return failed === 0 && passed.length > 0 ? 0 : 1;
}

/** Results in the order of `items`, of which as many are at work as there are CPUs. */
async function forEachOnAllCpus(items, work) {
  const results = [];
  let next = 0;
  const workers = Array.from({ length: availableParallelism() }, async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]);
    }
  });
  await Promise.all(workers);
  return results;
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

async function compile(words) {
  const { status, stderr } = await run('g++', words);
  process.stderr.write(stderr);
  return status === 0;
}

async function linkAndRun({ name, variant, flags, path, objects }) {
  const linked = await run('g++', [...flags, '-o', path, ...objects]);
  process.stderr.write(linked.stderr);
  return linked.status === 0 && hasPassed(await run(path, []), name, variant);
}

/** `status` is null where a signal ended the program, which `error` names. */
function run(program, words) {
  const options = {
    maxBuffer: 2 ** 26,
    // One report is enough; thousands take minutes.
    env: { ...process.env, TSAN_OPTIONS: 'halt_on_error=1' },
  };
  return new Promise((done) => {
    const child = execFile(program, words, options, (error, stdout, stderr) =>
      done({ status: child.exitCode, error, stdout, stderr }),
    );
    child.stdin.end();
  });
}

function hasPassed({ status, error, stdout, stderr }, name, variant) {
  const label = `[${variant.name}] ${name}`;
  if (variant.mustFailWith !== undefined) {
    const reported = status !== 0 && stderr.includes(variant.mustFailWith);
    console.log(`${reported ? 'PASS' : 'FAIL'} ${label}: the sanitizer reports the relaxed ring`);
    return reported;
  }
  for (const line of stdout.split('\n')) if (line !== '') console.log(`${label}: ${line}`);
  if (status === 0) return true;
  process.stderr.write(stderr);
  console.log(`FAIL ${label}: exit status ${status}, signal ${error?.signal}`);
  return false;
}
