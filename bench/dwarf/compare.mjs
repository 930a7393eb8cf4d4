// Compares lines and inlined calls with addr2line and llvm-symbolizer, address by address:
//
//   node bench/dwarf/compare.mjs [--addresses N] [--show N] BINARY…
//
// Addresses are spread evenly over .text. Frames are equal if function (as it stands in DWARF), file
// (its path's dots resolved) and line are. The peers differ between themselves, so each binary has
// three numbers: equal to one, to the other, and the peers to each other.

import { execFileSync } from 'node:child_process';
import { basename, normalize } from 'node:path';
import { openElf, SourceFrames } from './open-elf.mjs';

/** A constructor or destructor is one function in DWARF and up to three symbols. */
const STRUCTOR = /(CI?|D)[0-5](?=[EINS])/g;

const args = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : Number(args.splice(at, 2)[1]);
};
const count = option('--addresses', 10_000);
const shown = option('--show', 0);

console.log('| binary | addresses | = addr2line | = llvm-symbolizer | peers equal | = either |');
console.log('| --- | --- | --- | --- | --- | --- |');
const sums = { all: 0, gnu: 0, llvm: 0, peers: 0, either: 0 };
for (const path of args) compare(path);
row('all', sums);

function compare(path) {
  const { dwarf, text, diagnostics } = openElf(path);
  const step = Math.max(1, Math.floor(text.size / count));
  const addresses = [];
  for (let at = 0; at < text.size && addresses.length < count; at += step) {
    addresses.push(text.address + at);
  }
  const input = `${addresses.map((address) => `0x${address.toString(16)}`).join('\n')}\n`;
  const gnu = run('addr2line', ['-afi', '-e', path], input, parseGnu);
  const llvm = run(
    process.env.LLVM_SYMBOLIZER ?? 'llvm-symbolizer',
    ['--no-demangle', '--output-style=GNU', '-i', '-f', '-a', '-e', path],
    input,
    parseGnu,
  );
  const frames = new SourceFrames();
  const result = { all: addresses.length, gnu: 0, llvm: 0, peers: 0, either: 0 };
  let left = shown;
  for (const [i, address] of addresses.entries()) {
    dwarf.find(address, frames);
    const ours = [];
    for (let f = 0; f < frames.length; f++) {
      const name = dwarf.strings.get(frames.name[f]);
      const file = dwarf.strings.get(frames.file[f]);
      ours.push(frameText(name, file, frames.line[f]));
    }
    const isGnu = isEqual(ours, gnu[i]);
    const isLlvm = isEqual(ours, llvm[i]);
    if (isGnu) result.gnu++;
    if (isLlvm) result.llvm++;
    if (isEqual(gnu[i], llvm[i])) result.peers++;
    if (isGnu || isLlvm) result.either++;
    else if (left-- > 0) {
      console.log(
        `0x${address.toString(16)}\n  ours ${ours.join('\n       ')}\n  gnu  ${gnu[i]?.join('\n       ')}\n  llvm ${llvm[i]?.join('\n       ')}`,
      );
    }
  }
  for (const key of Object.keys(sums)) sums[key] += result[key];
  row(basename(path), result);
  for (const { code, count: times, detail } of diagnostics.entries()) {
    console.log(`  ${times}× ${code}: ${detail}`);
  }
}

function run(command, options, input, parse) {
  const maxBuffer = 2 ** 30;
  const stdio = ['pipe', 'pipe', 'ignore'];
  return parse(execFileSync(command, options, { input, maxBuffer, stdio, encoding: 'utf8' }));
}

/** Blocks of an address line and pairs of lines, function and place. */
function parseGnu(output) {
  const blocks = [];
  const lines = output.split('\n');
  for (let i = 0; i < lines.length; ) {
    if (/^0x[0-9a-f]+$/.test(lines[i])) {
      blocks.push([]);
      i++;
    } else if (i + 1 < lines.length && lines[i + 1] !== '') {
      const [, file, line] =
        /^(.*):(\d+|\?)(?::\d+)?(?: \(discriminator \d+\))?$/.exec(lines[i + 1]) ?? [];
      blocks.at(-1).push(frameText(lines[i], file ?? '', Number(line) || 0));
      i += 2;
    } else i++;
  }
  return blocks;
}

function frameText(name, file, line) {
  const path = file === '' || file === '??' ? '??' : normalize(file);
  return `${name === '' ? '??' : name.replaceAll(' ', '_')} ${path}:${line}`;
}

/**
 * Where there is no DWARF peers answer with the symbol, and its file's name without a line; that counts as no answer. Of the
 * outermost frame they may give the symbol's name, where DWARF has a shorter one or the compiler has
 * cloned the function: `_ZL5trainv`, `train.constprop.0`.
 */
function isEqual(a = [], b = []) {
  const [x, y] = [known(a), known(b)];
  return (
    x.length === y.length && x.every((frame, i) => isEqualFrame(frame, y[i], i === x.length - 1))
  );
}

function known(frames) {
  const isSymbolOnly = frames.length === 1 && /^\S+ [^/]*:0$/.test(frames[0]);
  return isSymbolOnly || frames.every((frame) => frame.endsWith(' ??:0')) ? [] : frames;
}

function isEqualFrame(a, b, isOutermost) {
  if (a === b) return true;
  if (!isOutermost) return false;
  const [nameA, placeA] = splitFrame(a.replace(STRUCTOR, '$1_'));
  const [nameB, placeB] = splitFrame(b.replace(STRUCTOR, '$1_'));
  const isSymbol = nameA.startsWith('_Z') !== nameB.startsWith('_Z');
  return placeA === placeB && (isSymbol || nameA.includes(nameB) || nameB.includes(nameA));
}

function splitFrame(frame) {
  const at = frame.indexOf(' ');
  return [frame.slice(0, at), frame.slice(at + 1)];
}

function row(name, { all, gnu, llvm, peers, either }) {
  const share = (part) => `${((100 * part) / all).toFixed(3)} %`;
  console.log(
    `| ${name} | ${all} | ${share(gnu)} | ${share(llvm)} | ${share(peers)} | ${share(either)} |`,
  );
}
