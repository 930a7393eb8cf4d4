import type { EventSpec } from '../../events/event-spec.ts';

/** The event's name with other modifiers: `cycles:uk` -> `cycles:u`, `cpu/event=1/` -> `…/u`. */
export function withModifiers(spec: EventSpec, modifiers: string): string {
  const { name } = spec;
  const isShown = spec.modifiers !== '' && name.endsWith(spec.modifiers);
  const bare = isShown ? name.slice(0, -spec.modifiers.length).replace(/:$/, '') : name;
  if (modifiers === '') return bare;
  return bare.endsWith('/') ? `${bare}${modifiers}` : `${bare}:${modifiers}`;
}

/** The event's name if only its user-space part is recorded. */
export function nameInUserSpace(spec: EventSpec): string {
  return withModifiers(spec, `u${spec.modifiers.replace(/[ukh]/g, '')}`);
}
