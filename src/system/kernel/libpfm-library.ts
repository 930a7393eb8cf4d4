import { messageOf } from '../../base/errors.ts';
import type {
  LibpfmAttribute,
  LibpfmEncoding,
  LibpfmEvent,
  LibpfmModel,
  LibpfmRefusal,
  LibpfmSource,
} from '../../kernel/events/libpfm-source.ts';
import { parseAttr } from '../../kernel/perf-event/attr.ts';
import { loadBinding } from '../../native/binding.ts';
import {
  type NativeLibpfm,
  PFM_ATTRIBUTE_TYPE,
  PFM_MODEL_TYPE,
  PFM_PLM,
  type PfmAttribute,
  type PfmEncoding,
  type PfmEvent,
} from '../../native/libpfm-types.ts';

/** Kernel and user are counted where the name has none, as by perf's --pfm-events. */
const DEFAULT_LEVELS = PFM_PLM.KERNEL | PFM_PLM.USER;
const PERF_EVENT_FIELD = 2;

/** The library as the addon finds it; asked when a name needs it, tables remembered. */
export function readLibpfm(load: () => NativeLibpfm = () => loadBinding().libpfm): LibpfmSource {
  const eventsOf = new Map<number, readonly LibpfmEvent[]>();
  let problem: string | null | undefined;
  let models: readonly LibpfmModel[] | null = null;
  const source: LibpfmSource = {
    get problem() {
      problem ??= problemOf(load);
      return problem === '' ? null : problem;
    },
    models() {
      if (source.problem !== null) return [];
      models ??= load()
        .models()
        .filter(({ isPresent }) => isPresent)
        .map(({ id, name, description, type }) => ({
          id,
          name,
          description,
          isVendor: type !== PFM_MODEL_TYPE.OS_GENERIC,
        }));
      return models;
    },
    modelNames() {
      if (source.problem !== null) return [];
      return load()
        .models()
        .map(({ name }) => name);
    },
    events({ id }) {
      if (source.problem !== null) return [];
      const known = eventsOf.get(id) ?? load().events(id).map(toEvent);
      eventsOf.set(id, known);
      return known;
    },
    encode: (name) => toEncoding(load().encodeAttr(name, DEFAULT_LEVELS)),
  };
  return source;
}

/** Empty if names can be had. */
function problemOf(load: () => NativeLibpfm): string {
  try {
    return load().load().problem;
  } catch (error) {
    return messageOf(error);
  }
}

function toEvent({ name, description, equivalent, attributes }: PfmEvent): LibpfmEvent {
  const isUnitMask = ({ type }: PfmAttribute): boolean => type === PFM_ATTRIBUTE_TYPE.UMASK;
  return {
    name,
    description,
    equivalent,
    unitMasks: attributes.filter(isUnitMask).map(toAttribute),
    modifiers: attributes
      .filter((each) => !isUnitMask(each) && each.type !== PFM_ATTRIBUTE_TYPE.RAW_UMASK)
      .map(toAttribute),
  };
}

function toAttribute(attribute: PfmAttribute): LibpfmAttribute {
  const { name, description, isDefault, isPrecise, type, control } = attribute;
  const takesNumber = type === PFM_ATTRIBUTE_TYPE.INTEGER;
  return {
    name,
    description,
    isDefault: isDefault && control !== PERF_EVENT_FIELD,
    isPrecise,
    takesNumber,
  };
}

function toEncoding(found: PfmEncoding): LibpfmEncoding | LibpfmRefusal {
  if (found.error !== 0) return { kind: 'refused', error: found.error, message: found.message };
  const { attr: bytes } = found;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const attr = parseAttr(view, bytes.length, true);
  const { flags } = attr;
  const rate = attr.samplePeriod > 0 ? attr.samplePeriod : null;
  return {
    kind: 'encoded',
    fullName: found.fullName,
    type: attr.type,
    config: attr.config,
    config1: attr.config1,
    config2: attr.config2,
    exclude: {
      user: flags.excludeUser,
      kernel: flags.excludeKernel,
      hv: flags.excludeHv,
      idle: flags.excludeIdle,
      host: flags.excludeHost,
      guest: flags.excludeGuest,
    },
    preciseIp: flags.preciseIp as LibpfmEncoding['preciseIp'],
    pinned: flags.pinned,
    exclusive: flags.exclusive,
    period: flags.freq ? null : rate,
    frequency: flags.freq ? rate : null,
    cpu: found.cpu < 0 ? null : found.cpu,
  };
}
