// Checks that docstrings and titles of tests can be read alone. A docstring is headless when it begins with a
// preposition or with What, Where, As, Those: it has no subject, or none that it names. A title is a riddle when it begins with a preposition or a
// bare verb: a list of failures shows it without the words around it. Each room has a ceiling in prose-ceilings.json,
// which only goes down. Run by `npm run check`; `--list ROOM` prints the places of a room, `--lower` the table anew.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const TABLE = join(root, 'test/prose-ceilings.json');

const PREPOSITIONS =
  'of in on at by to from with without for between behind beside below above under into as what where who whose those';
const VERBS =
  'accepts adds agrees aligns allows answers are asks attaches becomes begins belongs breaks can cannot changes closes ' +
  'comes compares compiles completes computes copies costs counts cuts demangles describes does draws drops edits ends ' +
  'excludes exits explains exports fails fills finds finishes fires fits folds follows forgets gets gives goes grows ' +
  'hands happens has holds ignores is jumps keeps knows leads leaves lets lies lists loads looks loses makes moves ' +
  'names needs opens orders parses passes prints puts quotes raises reaches reads redraws refuses removes replaces ' +
  'reports runs says scales scrolls sees selects serves shows splits stands starts stays stops stores stretches ' +
  'survives takes tells throws ticks turns waits warns was were works writes zooms';
/** Words that are nouns as well, where one of these follows: `names of strangers are …`. */
const NOUNS =
  'answers changes copies counts exports jumps lists loads looks names reads runs writes';
const BEHIND_NOUNS = 'of that are is with for whose and or in at by to as contain stay go come';

const HEADLESS = startsWithOneOf(PREPOSITIONS);
const RIDDLE = startsWithOneOf(`${PREPOSITIONS} ${VERBS}`);
const NOUN = new RegExp(
  `^(?:${NOUNS.replaceAll(' ', '|')}) (?:${BEHIND_NOUNS.replaceAll(' ', '|')})\\b`,
  'i',
);

/** The title of `it`, `test` or a wrapper of them (`itAsRoot`, `it.each(…)`), or of the native core's `TEST`. */
const TITLE =
  /^[ \t]*(?:(?:it|test)(?:[A-Z]\w*)?(?:\.\w+)*(?:\((?!\s*['"`]).*?\))?\(|TEST\()\s*(['"`])((?:\\.|(?!\1).)*)\1/gm;

/** The docstrings of a text as one line each, with the line that they begin on. */
function docstringsOf(text) {
  return [...text.matchAll(/\/\*\*(.*?)\*\//gs)].map(({ index, 1: body }) => ({
    line: lineAt(text, index),
    words: body
      .replace(/^\s*\*/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  }));
}

/** The docstrings of a source, or the titles of a test, that have no subject. */
export function findHeadless(text) {
  return docstringsOf(text).filter(({ words }) => HEADLESS.test(words));
}

export function findRiddles(text) {
  return titlesOf(text).filter(({ words }) => RIDDLE.test(words) && !NOUN.test(words));
}

function titlesOf(text) {
  return [...text.matchAll(TITLE)].map(({ index, 2: words }) => ({
    line: lineAt(text, index),
    words,
  }));
}

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}

function startsWithOneOf(words) {
  return new RegExp(`^(?:${words.replaceAll(' ', '|')})\\b(?!-)`, 'i');
}

/** The rooms: of src by their first folder, the page, the native core, and the tests of each. */
function* filesOfRooms() {
  for (const [top, room] of [
    ['src', (path) => `src/${path.split('/')[0]}`],
    ['web/src', () => 'web/src'],
    ['native', () => 'native'],
    ['test', (path) => `test/${path.split('/')[0]}`],
  ]) {
    for (const entry of readdirSync(join(root, top), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !/\.(?:[cm]?tsx?|cc|h)$/.test(entry.name)) continue;
      const file = join(entry.parentPath ?? entry.path, entry.name);
      yield { file, room: room(relative(join(root, top), file)) };
    }
  }
}

function main() {
  const found = {};
  const [sums, wanted] = [
    { all: 0, headless: 0, titles: 0, riddles: 0 },
    process.argv.indexOf('--list'),
  ];
  for (const { file, room } of filesOfRooms()) {
    const text = readFileSync(file, 'utf8');
    const isTest = /(?:\.test\.tsx?|_test\.cc)$/.test(file);
    if (!isTest && room.startsWith('test/')) continue;
    const places = isTest ? findRiddles(text) : findHeadless(text);
    if (isTest) {
      sums.titles += titlesOf(text).length;
      sums.riddles += places.length;
    } else {
      sums.all += docstringsOf(text).length;
      sums.headless += places.length;
    }
    found[room] = (found[room] ?? 0) + places.length;
    if (wanted < 0 || process.argv[wanted + 1] !== room) continue;
    for (const { line, words } of places) console.log(`${relative(root, file)}:${line}: ${words}`);
  }
  if (process.argv.includes('--lower')) writeFileSync(TABLE, `${JSON.stringify(found, null, 2)}\n`);
  const ceilings = JSON.parse(readFileSync(TABLE, 'utf8'));
  const over = Object.keys(found).filter((room) => found[room] > (ceilings[room] ?? 0));
  for (const room of over) {
    console.error(
      `${room}: ${found[room]} docstrings or titles without a subject, of ${ceilings[room] ?? 0} that may be: ` +
        `begin with the subject (node test/check-prose.mjs --list ${room})`,
    );
  }
  if (over.length > 0) process.exit(1);
  const percent = (part, all) => `${((100 * part) / all).toFixed(1)} %`;
  console.log(
    `${sums.headless} of ${sums.all} docstrings (${percent(sums.headless, sums.all)}) and ${sums.riddles} of ` +
      `${sums.titles} titles (${percent(sums.riddles, sums.titles)}) begin without a subject`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
