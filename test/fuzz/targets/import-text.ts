// Text of other tools: perf script, folded stacks.

import { memorySource } from '../../../src/base/byte-source.ts';
import { openImport } from '../../../src/read/open-import.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { mutateBytes, pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { type Target, toBytes, toText } from '../target.ts';

const SCRIPT = `# ========
# cmdline : /usr/bin/perf record -g ./app
app  1234/1235 [001]  4585.388877:     250000 cycles:u:
	    55d0c2a01139 leaf+0x9 (/usr/bin/app)
	    55d0c2a01160 main+0x10 (/usr/bin/app)
	    7f1c2a427d0a __libc_start_main+0xea (/usr/lib/libc.so.6)

a b c  7 [000]  4585.388900: sched:sched_switch: prev_comm=a prev_pid=7
	ffffffff81001200 do_syscall_64+0x20 ([kernel.kallsyms])
	           0 [unknown] ([unknown])

app  1234 4585.4: 1 cycles:  55d0c2a01139 leaf (/usr/bin/app)
`;

const FOLDED = `app;main;leaf 12
app;main;idle_[k] 3
node;(anonymous);*fib /srv/a.js:3 100000
swapper 7
`;

const CORPUS = [
  'jlfwong+speedscope/simple.linux-perf.txt',
  'jlfwong+speedscope/recursion.txt',
  'jonhoo+inferno/go-stacks.txt',
  'jlfwong+speedscope/one-sample.linux-perf.txt',
];

const mutate = (all: readonly Uint8Array[], random: Random) =>
  random() < 0.2
    ? mutateBytes(pick(random, all), pick(random, all), random)
    : toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random));

export function textSeeds(): Uint8Array[] {
  return [SCRIPT, FOLDED].map(toBytes);
}

export const importText: Target = {
  name: 'import',
  seeds: () => [...textSeeds(), ...(hasCorpora ? CORPUS.map(readCorpus) : [])],
  mutate,
  read(bytes) {
    const imported = openImport(memorySource(bytes));
    if (imported !== null) checkProfile(imported.profile);
  },
};
