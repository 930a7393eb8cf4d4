import { FailedError } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import { type EventSpec, narrowTo } from '../../kernel/events/event-spec.ts';
import { parseEvents } from '../../kernel/events/parse-events.ts';
import { encodeAttr } from '../../kernel/perf-event/attr.ts';
import type { StatOptions } from '../../options/stat.ts';
import { STAT } from '../../options/stat.ts';
import { counterAttr } from '../../system/kernel/spec-attr.ts';
import { type CountedGroup, groupSpecs } from './counted-group.ts';
import { defaultEvents, topdownEvents } from './default-events.ts';
import type { StatMachine } from './stat-options.ts';

/** The groups to count: those asked for, those of `--topdown`, or the default set. */
export function chooseGroups(
  options: StatOptions,
  systemWide: boolean,
  machine: StatMachine,
): CountedGroup[] {
  const specs = narrowTo(chooseSpecs(options, systemWide, machine), options.only);
  return groupSpecs(specs, machine.sources, machine.sysfs);
}

function chooseSpecs(
  options: StatOptions,
  systemWide: boolean,
  { sources, binding }: StatMachine,
): readonly EventSpec[] {
  if (options.events?.length) return parseEvents(options.events, sources);
  if (options.topdown === true) {
    const specs = topdownEvents(sources);
    if (specs !== null) return specs;
    throw new FailedError(
      words`${STAT.topdown}: this CPU has no events of the method's first level`,
      [
        'Intel cores and arm64 ones from v8.4 on count issue slots; perf-ts list shows what is here',
      ],
    );
  }
  const opens = (spec: EventSpec): boolean => {
    const attr = counterAttr(spec, true, { inherit: false, exclude: { kernel: true, hv: true } });
    return binding.probeEvent(encodeAttr(attr), 0, -1).errno === 0;
  };
  return defaultEvents({ systemWide, detail: options.detail ?? 0, opens }, sources);
}
