import type {
  LibpfmAttribute,
  LibpfmEncoding,
  LibpfmEvent,
  LibpfmSource,
} from '../../../src/kernel/events/libpfm-source.ts';

function attribute(name: string, fields: Partial<LibpfmAttribute> = {}): LibpfmAttribute {
  return {
    name,
    description: `${name} in words`,
    isDefault: false,
    isPrecise: false,
    takesNumber: false,
    ...fields,
  };
}

const MODIFIERS = [
  attribute('u'),
  attribute('k'),
  attribute('c', { takesNumber: true }),
  attribute('precise', { takesNumber: true }),
];

const EVENTS: readonly LibpfmEvent[] = [
  {
    name: 'INST_RETIRED',
    description: 'Number of instructions at retirement',
    equivalent: '',
    unitMasks: [
      attribute('ANY_P', { isDefault: true }),
      attribute('PREC_DIST', { isPrecise: true }),
    ],
    modifiers: MODIFIERS,
  },
  {
    name: 'MEM_LOAD_RETIRED',
    description: 'Retired load uops',
    equivalent: '',
    unitMasks: [attribute('L1_HIT'), attribute('L3_MISS')],
    modifiers: MODIFIERS,
  },
];

export const PLAIN_ENCODING: LibpfmEncoding = {
  kind: 'encoded',
  fullName: '',
  type: 4,
  config: 0xc0n,
  config1: 0n,
  config2: 0n,
  exclude: { user: false, kernel: false, hv: false, idle: false, host: false, guest: true },
  preciseIp: 0,
  pinned: false,
  exclusive: false,
  period: null,
  frequency: null,
  cpu: null,
};

/** A library that knows two events of `skl`, the only model here, and these encodings of names. */
export function fakeLibpfm(
  encodings: Readonly<Record<string, Partial<LibpfmEncoding> | number>> = {},
): LibpfmSource {
  return {
    problem: null,
    models: () => [{ id: 1, name: 'skl', description: 'Intel Skylake', isVendor: true }],
    modelNames: () => ['skl', 'spr'],
    events: () => EVENTS,
    encode(name) {
      const known = encodings[name] ?? -4;
      if (typeof known !== 'number') return { ...PLAIN_ENCODING, ...known };
      return { kind: 'refused', error: known, message: `error ${known}` };
    },
  };
}
