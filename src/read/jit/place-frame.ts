import { NONE } from '../../base/brand.ts';
import type { StringIndex } from '../../base/string-table.ts';
import { parseV8Name } from '../../code/javascript/v8-name.ts';
import type { SourceLine } from '../../code/jit/code-table.ts';
import type { ProfileBuilder } from '../../profile/profile-builder.ts';

/** Gives a named frame of JIT code its line, with `inline` as that of a call that was inlined there. */
export function placeFrame(
  builder: ProfileBuilder,
  frame: number,
  line: SourceLine,
  inline: boolean,
): void {
  const { frames, funcs, strings } = builder;
  const own = frames.func(frame);
  let placed = frame;
  // The line at which the function that exists calls the inlined one is not known.
  if (inline && line.inlined !== undefined) {
    const func = funcs.intern(strings.intern(line.inlined), funcs.dso(own));
    placed = builder.addInlined(frame, frames.dso(frame), frames.address(frame), 1, func);
  }
  if (line.line === 0) return;
  const name = line.inlined ?? strings.get(funcs.name(own) as StringIndex);
  // Evaluated code has lines and no file.
  const file = line.file === '' ? NONE : strings.intern(line.file);
  frames.setLocation(placed, file, line.line, columnIn(line, name));
}

/**
 * The column of a line that a JIT gave for the code of `name`, from 1; 0 where it is not known. In a
 * jitdump the discriminator stands for it, and V8 alone means it so.
 */
export function columnIn({ discriminator = 0 }: SourceLine, name: string): number {
  return parseV8Name(name) === null ? 0 : discriminator;
}
