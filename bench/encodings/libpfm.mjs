// libpfm's names: what the addon makes of them, against libpfm's own tools and our own encoder.
//
//   node bench/encodings/libpfm.mjs [--step N] [--json]
//
// Every Nth name (default 1: all) of every model that the library has for this architecture, each event with
// each of its unit masks; every fifth with modifiers. Two comparisons:
//
//   attr     the error, or all that libpfm sets in perf_event_attr, with a program that has libpfm's headers
//   terms    the attr's config and config1, with those of `cpu/event=…,umask=…/` for the registers of check_events

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attrsOf, buildTools, codesOf, missingTools } from './libpfm-tools.mjs';
import { hasEventSelect, machineOf, textOf } from './raw-terms.mjs';

// Also models that are not in this machine; read when the library is loaded, here and by its tools.
process.env.LIBPFM_ENCODE_INACTIVE = '1';

const KERNEL_AND_USER = 1 + 8;
const CORE = 1;
const OS_GENERIC = 3;
const UNIT_MASK = 1;
const MODIFIERS = [':u', ':k', ':c=2', ':c=1:i', ':c=1:e'];
const ATTR_FIELDS = { type: 0, flags: 40, config: 8, config1: 56, config2: 64, period: 16 };

const root = fileURLToPath(new URL('../../', import.meta.url));
const { parseEvents } = await import(`${root}dist/kernel/events/parse-events.js`);
const { libpfm } = createRequire(import.meta.url)('node-gyp-build')(root);

const stepAt = process.argv.indexOf('--step');
const step = stepAt < 0 ? 1 : Number(process.argv[stepAt + 1]);
const missing = libpfm.load().version === 0 ? libpfm.load().problem : missingTools();
if (missing !== null && missing !== '') {
  console.log(
    process.argv.includes('--json') ? JSON.stringify({ missing }) : `not compared: ${missing}`,
  );
} else {
  const report = compare();
  console.log(process.argv.includes('--json') ? JSON.stringify(report) : tableOf(report));
  process.exitCode = report.rows.every(({ same, of }) => same === of) ? 0 : 1;
}

function compare() {
  const folder = mkdtempSync(join(tmpdir(), 'perf-ts-libpfm-'));
  try {
    const tools = buildTools(folder);
    const names = everyName().filter((_, index) => index % step === 0);
    const encoded = names.map((name) => ({
      ...name,
      ...libpfm.encodeAttr(name.text, KERNEL_AND_USER),
    }));
    const known = encoded.filter(({ error }) => error === 0);
    return {
      models: new Set(known.map(({ model }) => model.name)).size,
      names: names.length,
      refused: names.length - known.length,
      rows: [attrRow(tools, encoded), termsRow(tools, known)],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function everyName() {
  const names = [];
  for (const model of libpfm.models()) {
    // Its kinds of tracepoints depend on the machine.
    if (model.type === OS_GENERIC) continue;
    for (const event of libpfm.events(model.id)) {
      const masks = event.attributes.filter(({ type }) => type === UNIT_MASK);
      const modifiers = new Set(event.attributes.map(({ name }) => name));
      for (const mask of masks.length === 0 ? [null] : masks) {
        const plain = `${model.name}::${event.name}${mask === null ? '' : `:${mask.name}`}`;
        const index = names.length;
        const added = MODIFIERS[index % MODIFIERS.length];
        const letters = added.match(/[a-z]/g);
        const isTaken = index % 5 === 0 && letters.every((letter) => modifiers.has(letter));
        names.push({ model, text: isTaken ? plain + added : plain });
      }
    }
  }
  return names;
}

function row(what, ours, theirs, texts) {
  const differing = texts.filter((_, index) => ours[index] !== theirs[index]);
  const first = texts.findIndex((_, index) => ours[index] !== theirs[index]);
  const example =
    first < 0 ? null : `${texts[first]}: ours ${ours[first]}, theirs ${theirs[first]}`;
  return { what, same: texts.length - differing.length, of: texts.length, example };
}

function attrRow({ attr }, encoded) {
  const texts = encoded.map(({ text }) => text);
  const ours = encoded.map(({ error, attr: bytes }) => {
    if (error !== 0) return `${error} 0 0 0 0 0 0`;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = (field) => view.getBigUint64(ATTR_FIELDS[field], true).toString(16);
    const type = view.getUint32(ATTR_FIELDS.type, true);
    return [error, type, ...['config', 'config1', 'config2', 'flags', 'period'].map(word)].join(
      ' ',
    );
  });
  return row("perf_event_attr, with libpfm's headers", ours, attrsOf(attr, texts), texts);
}

function termsRow({ checkEvents }, known) {
  // check_events keeps the array of the name before, and libpfm 4.13 aborts in free() where the next
  // one needs a longer one: those with a second register come first.
  const core = known
    .filter(({ model }) => model.type === CORE && hasEventSelect(model.name))
    .map((one) => ({ ...one, words: wordsOf(one.attr) }))
    .sort((a, b) => Number(b.words.config1 !== 0n) - Number(a.words.config1 !== 0n));
  const texts = core.map(({ text }) => text);
  const written = codesOf(checkEvents, texts).map((codes, index) =>
    textOf(core[index].model.name, codes.split(' ').map(BigInt)),
  );
  const ours = core.map(({ model }, index) => {
    const [spec] = parseEvents(written[index], machineOf(model.name));
    const { user, kernel } = spec.exclude;
    return [spec.config, spec.config1]
      .map((value) => value.toString(16))
      .concat(user, kernel)
      .join(' ');
  });
  const theirs = core.map(({ words: { config, config1, flags } }) =>
    [config, config1]
      .map((value) => value.toString(16))
      .concat((flags & 16n) !== 0n, (flags & 32n) !== 0n)
      .join(' '),
  );
  const shown = texts.map((text, index) => `${text} = ${written[index]}`);
  return row('our encoder, from format/, of the registers of check_events', ours, theirs, shown);
}

/** Fields of an attr, 64 bits each. */
function wordsOf({ buffer, byteOffset, byteLength }) {
  const view = new DataView(buffer, byteOffset, byteLength);
  const word = (name) => view.getBigUint64(ATTR_FIELDS[name], true);
  return { config: word('config'), config1: word('config1'), flags: word('flags') };
}

function tableOf({ models, names, refused, rows }) {
  const { version } = libpfm.load();
  const lines = rows.map(({ what, same, of, example }) => {
    const share = of === 0 ? '' : `${((100 * same) / of).toFixed(same === of ? 0 : 3)} %`;
    return `| ${what} | ${same} | ${of} | ${share} |${example === null ? '' : ` ${example}`}`;
  });
  return [
    `libpfm ${version >> 16}.${version & 0xffff}: ${names} names of ${models} models, ${refused} refused`,
    '',
    '| libpfm names | the same | of | |',
    '| --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}
