// What a register of a PMU says, in terms of the kernel's format folders: by the manuals of Intel (SDM 3B,
// IA32_PERFEVTSELx) and AMD (PPR, PERF_CTL), and not by what libpfm does for perf.

/** Formats of the core PMUs (arch/x86/events/intel/core.c, amd/core.c). */
const INTEL = {
  event: 'config:0-7',
  umask: 'config:8-15',
  edge: 'config:18',
  pc: 'config:19',
  any: 'config:21',
  inv: 'config:23',
  cmask: 'config:24-31',
  in_tx: 'config:32',
  in_tx_cp: 'config:33',
  offcore_rsp: 'config1:0-63',
  ldlat: 'config1:0-15',
  frontend: 'config1:0-23',
};
const AMD = {
  event: 'config:0-7,32-35',
  umask: 'config:8-15',
  edge: 'config:18',
  inv: 'config:23',
  cmask: 'config:24-31',
};

/** A machine that has nothing but this PMU. */
export function machineOf(model) {
  const formats = new Map(Object.entries(isAmd(model) ? AMD : INTEL));
  const cpu = {
    name: 'cpu',
    type: 4,
    formats,
    events: new Map(),
    cpumask: null,
    cpus: null,
    caps: new Map(),
  };
  return { pmus: [cpu], tracepoints: { isReadable: () => false } };
}

/** Netburst counts by pairs of registers (ESCR, CCCR); all others have one that selects the event. */
export function hasEventSelect(model) {
  return !model.startsWith('netburst');
}

function isAmd(model) {
  return model.startsWith('amd64');
}

const USER = 1n << 16n;
const KERNEL = 1n << 17n;

/** `cpu/event=0xd1,umask=0x20/u` for the registers of an event of `model`. */
export function textOf(model, [select, extra = 0n]) {
  const field = (low, width) => (select >> BigInt(low)) & ((1n << BigInt(width)) - 1n);
  const event = isAmd(model) ? field(0, 8) | (field(32, 4) << 8n) : field(0, 8);
  const terms = [
    ['event', event],
    ['umask', field(8, 8)],
    ['edge', field(18, 1)],
    ...(isAmd(model)
      ? []
      : [
          ['any', field(21, 1)],
          ['in_tx', field(32, 1)],
          ['in_tx_cp', field(33, 1)],
          [extraTerm(event), extra],
        ]),
    ['inv', field(23, 1)],
    ['cmask', field(24, 8)],
  ];
  const written = terms
    .filter(([name, value]) => value !== 0n || name === 'event')
    .map(([name, value]) => `${name}=0x${value.toString(16)}`);
  const levels = (select & USER ? 'u' : '') + (select & KERNEL ? 'k' : '');
  return `cpu/${written.join(',')}/${levels}`;
}

/** The second register of an event: its latency threshold, its front-end event, or its off-core request. */
function extraTerm(event) {
  if (event === 0xcdn) return 'ldlat';
  return event === 0xc6n ? 'frontend' : 'offcore_rsp';
}
