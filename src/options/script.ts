import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { texts, yesNo } from './kinds.ts';
import { commandOption, inGroup, option, options, pick } from './option.ts';
import { INPUT, JSON_OUTPUT, SELECTION, STRICT, SYMBOLS, WEIGHING } from './reading.ts';

/** `perf-ts script`. */
export const SCRIPT_OPTIONS = options({
  ...INPUT,
  ...STRICT,
  ...JSON_OUTPUT,
  ...SELECTION,
  ...SYMBOLS,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    samples: commandOption(yesNo, { flags: '--samples', help: 'samples only' }),
    fields: commandOption(texts, {
      flags: '-F, --fields <list>',
      help: 'samples only, with these fields, as in perf; may repeat',
    }),
    ns: commandOption(yesNo, { flags: '--ns', help: 'times with nanoseconds' }),
    header: commandOption(yesNo, { flags: '--header', help: 'the header of the recording first' }),
    headerOnly: commandOption(yesNo, {
      flags: '--header-only',
      help: 'the header of the recording, and no records',
    }),
    showInfo: commandOption(yesNo, { flags: '-I, --show-info' }),
  }),
  ...inGroup(OPTION_GROUP.FRAMES, {
    simplifyChains: option(yesNo, {
      flags: '--js-simple',
      help: "callchains without V8's interpreter, inline caches and call stubs",
    }),
  }),
  ...pick(WEIGHING, 'event'),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    dumpRawTrace: commandOption(yesNo, {
      flags: '-D, --dump-raw-trace',
      help: 'the bytes of every record too, in the order of the file',
    }),
  }),
  ...inGroup('Records in addition to samples:', {
    showTaskEvents: commandOption(yesNo, {
      flags: '--show-task-events',
      help: 'FORK, COMM and EXIT',
    }),
    showMmapEvents: commandOption(yesNo, { flags: '--show-mmap-events', help: 'MMAP and MMAP2' }),
    showSwitchEvents: commandOption(yesNo, {
      flags: '--show-switch-events',
      help: 'context switches',
    }),
    showNamespaceEvents: commandOption(yesNo, {
      flags: '--show-namespace-events',
      help: 'NAMESPACES',
    }),
    showLostEvents: commandOption(yesNo, { flags: '--show-lost-events', help: 'what was lost' }),
    showBpfEvents: commandOption(yesNo, {
      flags: '--show-bpf-events',
      help: 'KSYMBOL and BPF_EVENT',
    }),
    showCgroupEvents: commandOption(yesNo, { flags: '--show-cgroup-events', help: 'CGROUP' }),
    showTextPokeEvents: commandOption(yesNo, {
      flags: '--show-text-poke-events',
      help: 'changes of kernel code',
    }),
  }),
  ...pick(GENERAL, 'quiet'),
});
