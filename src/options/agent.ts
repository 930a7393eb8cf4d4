import { GENERAL } from './general.ts';
import { duration, positive, text, texts, yesNo } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import { RECORD } from './record.ts';

/** `perf-ts agent`. */
export const AGENT = options({
  ...inGroup('Agent:', {
    config: commandOption(text, {
      flags: '--config <file>',
      help: 'JSON; read again when it changes and at SIGHUP',
    }),
    checkConfig: commandOption(yesNo, {
      flags: '--check-config',
      help: 'print what the configuration means, and end',
    }),
    durationMs: RECORD.durationMs.with({}),
  }),
  ...pick(GENERAL, 'quiet'),
  ...inGroup('Without a file:', {
    sink: commandOption(texts, {
      flags: '--sink <type:target>',
      help: 'where profiles go, repeatable: pyroscope:URL, otlp:URL, parca:URL, coroot:URL, clickhouse://HOST/DB, folder:PATH',
    }),
    freq: commandOption(positive, {
      flags: '-F, --freq <hz>',
      help: 'samples a second and CPU (default 19)',
    }),
    window: commandOption(duration('s'), {
      flags: '--window <s>',
      help: 'seconds of a profile (default 10)',
    }),
    label: commandOption(texts, {
      flags: '--label <name=value>',
      help: 'of every profile, repeatable',
    }),
    spool: commandOption(text, {
      flags: '--spool <dir>',
      help: 'windows wait there while their sink is down (default in memory)',
    }),
    listen: commandOption(text, {
      flags: '--listen <host:port>',
      help: '/metrics and /healthz, on this machine',
    }),
    idle: commandOption(yesNo, { flags: '--idle', help: 'also the time in which CPUs were idle' }),
  }),
});
