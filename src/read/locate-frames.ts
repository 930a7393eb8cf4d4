import type { StringIndex } from '../base/string-table.ts';
import type { DsoIndex } from '../code/process/types.ts';
import type { DsoLines } from '../code/symbols/dso-lines.ts';
import { PERF_SAMPLE } from '../kernel/perf-event/constants.ts';
import { UNKNOWN_FUNC_NAME } from '../profile/func-table.ts';
import type { MachineWithTables, RecordedMachine } from './recorded-machine.ts';
import { copiesStacks } from './unwind/unwind-stacks.ts';

/** Frames after which the share that was looked at is reported. */
const FRAMES_A_REPORT = 16;

/** Whether the recording has stacks, in which inlined calls have a place. */
export function hasStacks({ data }: Pick<RecordedMachine, 'data'>): boolean {
  return data.attrs.some(
    ({ attr }) => (attr.sampleType & PERF_SAMPLE.CALLCHAIN) !== 0 || copiesStacks(attr),
  );
}

/**
 * Gives every frame in a file, the vDSO and the kernel its source line, and with `inline` a frame to each call that was
 * inlined there. Call it when frames have their symbols' names: the function that exists keeps
 * that name, and gets DWARF's where its file has no symbol. `onShare` gets the share of the frames,
 * 0 … 1, that were looked at.
 */
export function locateFrames(
  { builder, processes }: MachineWithTables,
  lines: DsoLines,
  inline: boolean,
  onShare?: (share: number) => void,
) {
  const { strings } = builder;
  const frameCount = builder.frames.length;
  let looked = 0;
  for (let dso = 0; dso < processes.dsos.length; dso++) {
    if (!lines.canHave(dso as DsoIndex)) continue;
    const { frames, addresses } = builder.frames.addresses(dso);
    // In order, so that each unit of the DWARF is read once and let go.
    const order = Uint32Array.from(addresses.keys()).sort((a, b) => addresses[a] - addresses[b]);
    for (const i of order) {
      // An address may be the first of a unit, whose lines and calls are read then.
      if (looked++ % FRAMES_A_REPORT === 0) onShare?.(looked / frameCount);
      const address = addresses[i];
      const count = lines.find(dso as DsoIndex, address);
      if (count === 0) continue;
      const frame = frames[i];
      // Without frames for inlined calls the function that exists has the line of their code.
      setLine(frame, inline ? count - 1 : 0);
      if (!builder.isNamed(frame)) nameFrame(frame, dso, count - 1);
      for (let row = count - 2; inline && row >= 0; row--) {
        const depth = count - 1 - row;
        const func = builder.funcs.intern(nameOf(row), dso);
        setLine(builder.addInlined(frame, dso, address, depth, func), row);
      }
    }
  }

  function nameFrame(frame: number, dso: number, row: number): void {
    if (lines.name(row) !== '')
      builder.frames.setFunc(frame, builder.funcs.intern(nameOf(row), dso));
  }

  function nameOf(row: number): StringIndex {
    return strings.intern(lines.name(row) || UNKNOWN_FUNC_NAME);
  }

  function setLine(frame: number, row: number): void {
    const { line, column } = lines.frames;
    const file = lines.file(row);
    if (file === '') return;
    builder.frames.setLocation(frame, strings.intern(file), line[row], column[row]);
  }
}
