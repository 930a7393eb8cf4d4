import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseFields } from '../../../src/cli/script/fields.ts';
import { formatSample, type SampleTextStyle } from '../../../src/cli/script/sample-text.ts';
import { visitRecords } from '../../../src/tools/script/record-stream.ts';
import { scratchDirectory } from '../../helpers/cli.ts';
import {
  CORPORA,
  hasCorpora,
  isFuzzed,
  PEERS,
  perfDataCorpora,
  readExpectedText,
} from '../../helpers/corpora.ts';
import { layOutRecordedMachine } from '../../helpers/recorded-machine.ts';

// Every sample of every recording of the corpora against `perf script --ns -F …`: heads, order and
// frames. Where we differ, the difference is listed below with the reason.

const scratch = scratchDirectory();
const empty = join(scratch, 'empty');
mkdirSync(empty);
const machine = hasCorpora ? layOutRecordedMachine(join(scratch, 'machine')) : {};

const cases = perfDataCorpora()
  .filter((expected) => !isFuzzed(expected))
  .flatMap((expected) => {
    const golden = readExpectedText(expected.file, 'script.txt');
    const fields = PEERS.map((peer) => goldenFields(expected[peer]?.script)).find(Boolean);
    if (golden === null || fields === undefined) return [];
    return [[expected.file, { ...expected, golden, fields }] as const];
  });

type Sample = { readonly head: string; readonly frames: string[] };
type Difference = { readonly theirs: string; readonly ours: string };

describe.skipIf(!hasCorpora)('script on the corpora, against perf script', () => {
  test.each(cases)('%s', (file, { golden, fields, golden_by: goldenBy }) => {
    const ours = parseScript(scriptOf(file, fields));
    const theirs = withCommsOfExiting(parseScript(golden), ours);
    // perf 6.1 gives pid and tid 5 columns, its followers 7: spaces are compared where they agree.
    if (goldenBy !== 'perf_6.1.187' && !isUnwound(file)) {
      expect(ours.map(({ head }) => leafless(head))).toEqual(
        theirs.map(({ head }) => leafless(head)),
      );
    }
    const heads = (list: readonly Sample[]) => list.map(({ head }) => squeeze(leafless(head)));
    expect(heads(ours)).toEqual(heads(theirs));
    const unexplained: Difference[] = [];
    for (let i = 0; i < theirs.length; i++) {
      for (const difference of differences(theirs[i], ours[i])) {
        if (!isExplained(file, difference)) unexplained.push(difference);
      }
    }
    expect(unexplained).toEqual([]);
  });

  test('the corpora have recordings of every kind', () => {
    expect(cases.length).toBeGreaterThanOrEqual(58);
    expect(cases.filter(([, { golden }]) => golden.includes('\n\t')).length).toBeGreaterThan(20);
  });

  test('every listed difference from perf script still occurs', () => {
    const unused = EXPLAINED.filter((one) => !used.has(one));
    expect(unused).toEqual([]);
  });
});

/**
 * Frames in which we differ from perf, and why. A frame without `file` is one of any recording.
 */
const EXPLAINED: readonly {
  readonly file?: string;
  readonly theirs: RegExp;
  readonly ours: RegExp;
  readonly why: string;
}[] = [
  {
    theirs: /^\w+ \[unknown\] \((?:.*\/)?(\w|-)+\.ko\)$/,
    ours: /^\w+ \[unknown\] \(\[\w+\]\)$/,
    why: 'a kernel module goes by its name, as in perf report, not by the path of its file',
  },
  {
    theirs: /^ffffffff\w+ \[unknown\] \(\[unknown\]\)$/,
    ours: /^ffffffff\w+ \[unknown\] \(\[kernel\.kallsyms\]\)$/,
    why: 'a sample of user mode with skid into the kernel: perf looks among user mappings only',
  },
  {
    theirs: /^7f\w+b78 _dl_start_user \(.*\/ld-linux-x86-64\.so\.2\)$/,
    ours: /^7f\w+b78 _start \(.*\/ld-linux-x86-64\.so\.2\)$/,
    why: 'the call is the last instruction of _start: perf names what follows the call',
  },
  {
    file: 'own/systemwide-F500-fp.data',
    theirs: /^ffffffff837907c0 __pfx_clear_bss \(/,
    ours: /^ffffffff837907c0 startup_64 \(/,
    why: 'the call is the last instruction of startup_64: perf names what follows the call',
  },
  {
    file: 'own/multi-5events-threads-forks.data',
    theirs: /^7f\w+2c0 @plt \(.*\/libc\.so\.6\)$/,
    ours: /^7f\w+2c0 __tunable_get_val@plt \(.*\/libc\.so\.6\)$/,
    why: 'perf takes the name of another relocation section, which is empty, for this stub',
  },
  {
    file: 'jbeich+platform_system_extras/perf_merge1.data',
    theirs: /^79ba\w+ \[unknown\] \(.*\/libc\.so\)$/,
    ours: /^79ba\w+ \[unknown\] \(\[unknown\]\)$/,
    why: 'between exec and the first mapping of the new image perf still has those of the old one',
  },
  {
    file: 'jbeich+platform_system_extras/perf.data',
    theirs: /^ffffffffa05c4da4 \[unknown\] \(.*\/pata_acpi\.ko\)$/,
    ours: /^ffffffffa05c4da4 \[unknown\] \(\[kernel\.kallsyms\]\)$/,
    why: 'the recorder saw all modules at address 0; perf takes the last one to span everything',
  },
  {
    theirs: /^$/,
    ours: /^\w+ \[unknown\] \(/,
    why: 'perf shows no frame where it has no file to unwind with; we show where it happened',
  },
  {
    file: 'own/cpu-clock-u-F400-dwarf8k-cxx-z.data',
    theirs: /^$/,
    ours: /./,
    why: 'perf gets no further than one place in the code that unwinds exceptions; we reach _start',
  },
  {
    theirs: /^\w+ .* \(\/usr\/bin\/node\)$/s,
    ours: /^\w+ \[unknown\] \(\/usr\/bin\/node\)$/,
    why: 'perf had the program, which the corpora do not have',
  },
];

const used = new Set<object>();

function isExplained(file: string, { theirs, ours }: Difference): boolean {
  const address = (frame: string) => frame.slice(0, frame.indexOf(' '));
  if (theirs !== '' && address(theirs) !== address(ours)) return false;
  const explanation = EXPLAINED.find(
    (one) =>
      (one.file === undefined || one.file === file) &&
      one.theirs.test(theirs) &&
      one.ours.test(ours),
  );
  if (explanation !== undefined) used.add(explanation);
  return explanation !== undefined;
}

/**
 * A sample behind the EXIT record of its thread is of the end of the exit. perf has forgotten the
 * thread by then and makes up a comm, `:10606`: we keep its own.
 */
function withCommsOfExiting(theirs: Sample[], ours: readonly Sample[]): Sample[] {
  return theirs.map((sample, i) => {
    const rest = /^:\d+( +\d+\/.*)$/s.exec(sample.head)?.[1];
    const our = ours[i]?.head ?? '';
    const isOnlyComm = rest !== undefined && our.endsWith(rest) && /^\w+ /.test(our);
    return isOnlyComm ? { ...sample, head: our } : sample;
  });
}

/** `perf script` prints no more of a callchain unless told with --max-stack. */
const MAX_STACK = 127;

function differences(theirs: Sample, ours: Sample): Difference[] {
  const shown = ours.frames.slice(0, MAX_STACK);
  if (ours.frames.length > MAX_STACK) expect(theirs.frames).toHaveLength(MAX_STACK);
  const found: Difference[] = [];
  for (let i = 0; i < Math.max(theirs.frames.length, shown.length); i++) {
    const [their = '', our = ''] = [theirs.frames[i], shown[i]];
    if (their !== our) found.push({ theirs: their, ours: our });
  }
  return found;
}

function isUnwound(file: string): boolean {
  return file.includes('-dwarf');
}

function scriptOf(file: string, fields: string): string {
  let style: SampleTextStyle = { fields: [], nanoseconds: true, nameWidth: 0 };
  let text = '';
  const symbols = file.startsWith('own/') ? machine : { symfs: empty };
  visitRecords(
    join(CORPORA, file),
    // Where the texts were made there was no debug information.
    { samplesOnly: true, symbols: { ...symbols, inline: false } },
    {
      start(data, names) {
        const events = data.attrs.map(({ attr }, i) => ({ attr, name: names[i] }));
        style = {
          fields: chooseFields([fields], events),
          nanoseconds: true,
          nameWidth: Math.max(...names.map((name) => name.length)),
        };
      },
      sampleText(sample) {
        text += formatSample(sample, style);
      },
    },
  );
  return text;
}

/** A sample without a callchain has its one frame behind the event's name. */
function parseScript(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('\t')) {
      samples.at(-1)?.frames.push(line.trim());
      continue;
    }
    const frame = LEAF.exec(line)?.[1];
    samples.push({ head: line, frames: frame === undefined ? [] : [frame] });
  }
  return samples;
}

const LEAF = /: +\d+ +\S+: +([0-9a-f]+ .*\(.*\))$/;

function leafless(head: string): string {
  const leaf = LEAF.exec(head)?.[1] ?? '';
  return head.slice(0, head.length - leaf.length);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function goldenFields(script: object | undefined): string | undefined {
  return (script as { golden_fields?: string } | undefined)?.golden_fields;
}
