import { failAt } from './event-error.ts';
import type { EventExclusions, EventSpec } from './event-spec.ts';
import type { EventSettings } from './resolved-event.ts';
import { type Word, wordAt } from './word.ts';

/** The letters that may follow an event's last colon or slash. */
const LETTERS = 'ukhGHIpPSDeW';

const MEANINGS: readonly string[] = [
  'where: u user, k kernel, h hypervisor, G guest, H host, I not while idle',
  'how: p, pp, ppp less skid, P least; groups: S read by the leader, W may be broken up',
  'on the counter: D pinned, e alone',
];

/** Most `p` that the kernel knows. */
const MOST_PRECISE = 3;

/** Letters that change what is counted; shown also where they come from the group. */
const SHOWN_FROM_GROUP = /[^SDeW]/g;

export type ModifierContext = {
  readonly own: Word | null;
  readonly fromGroup: Word | null;
  /** Leaders and single events; the kernel refuses pinned and exclusive members. */
  readonly isLeader: boolean;
  /** Guests are left out unless `G` asks for them. */
  readonly excludesGuests: boolean;
  /** Settings that the event's name brings; modifiers add to it. */
  readonly settings: EventSettings | null;
};

export type Modifiers = Pick<
  EventSpec,
  | 'modifiers'
  | 'exclude'
  | 'preciseIp'
  | 'preciseIsMax'
  | 'pinned'
  | 'exclusive'
  | 'sampleGroup'
  | 'weakGroup'
>;

/**
 * The settings that the modifiers ask for. A group's modifiers add to the event's own: `{a:u,b}:k` counts `a`
 * in user space and kernel, `b` in the kernel.
 *
 * Guests are left out by default also where perf 6.1 lets them in by accident (`:k` and `:D` do,
 * `:u` and no modifier at all don't).
 */
export function parseModifiers(context: ModifierContext): Modifiers {
  const { own, fromGroup, isLeader, settings } = context;
  if (own !== null) checkModifiers(own);
  if (fromGroup !== null) checkModifiers(fromGroup);
  const all = (own?.text ?? '') + (fromGroup?.text ?? '');
  const precise = [...all].filter((letter) => letter === 'p').length;
  if (precise > MOST_PRECISE) {
    const at = (own ?? fromGroup) as Word;
    failAt(at, `modifiers ask for precision ${precise}; ${MOST_PRECISE} is the most`);
  }
  const preciseIsMax = all.includes('P');
  return {
    modifiers: shownModifiers(own?.text ?? '', fromGroup?.text ?? ''),
    exclude: addExclusions(
      settings?.exclude ?? null,
      parseExclusions(all, context.excludesGuests),
      /[GH]/.test(all),
    ),
    preciseIp: Math.max(
      preciseIsMax ? MOST_PRECISE : precise,
      settings?.preciseIp ?? 0,
    ) as EventSpec['preciseIp'],
    preciseIsMax,
    pinned: isLeader && (all.includes('D') || settings?.pinned === true),
    exclusive: isLeader && (all.includes('e') || settings?.exclusive === true),
    sampleGroup: all.includes('S'),
    weakGroup: all.includes('W'),
  };
}

/** Naming a privilege level, or host or guest, leaves out those that are not named. */
function parseExclusions(letters: string, excludesGuests: boolean): EventExclusions {
  const namesLevel = /[ukh]/.test(letters);
  const namesMachine = /[GH]/.test(letters);
  return {
    user: namesLevel && !letters.includes('u'),
    kernel: namesLevel && !letters.includes('k'),
    hv: namesLevel && !letters.includes('h'),
    idle: letters.includes('I'),
    host: namesMachine && !letters.includes('H'),
    guest: namesMachine ? !letters.includes('G') : excludesGuests,
  };
}

/** Leaves out the modes that either leaves out; modifiers decide between host and guest if they name one. */
function addExclusions(
  fromName: EventExclusions | null,
  fromModifiers: EventExclusions,
  namesMachine: boolean,
): EventExclusions {
  if (fromName === null) return fromModifiers;
  const machine = namesMachine ? fromModifiers : fromName;
  return {
    user: fromName.user || fromModifiers.user,
    kernel: fromName.kernel || fromModifiers.kernel,
    hv: fromName.hv || fromModifiers.hv,
    idle: fromName.idle || fromModifiers.idle,
    host: machine.host,
    guest: machine.guest,
  };
}

function checkModifiers(word: Word): void {
  [...word.text].forEach((letter, index) => {
    const at = wordAt(word.source, word.offset + index);
    if (!LETTERS.includes(letter)) failAt(at, `unknown modifier '${letter}'`, MEANINGS);
    if (letter !== 'p' && word.text.indexOf(letter) < index) {
      failAt(at, `modifier '${letter}' is given twice`);
    }
  });
}

function shownModifiers(own: string, fromGroup: string): string {
  const added = [...(fromGroup.match(SHOWN_FROM_GROUP) ?? [])];
  return own + added.filter((letter) => letter === 'p' || !own.includes(letter)).join('');
}

/** True if `word` could be meant as modifiers: known letters only. */
export function looksLikeModifiers(word: string): boolean {
  return [...word].every((letter) => LETTERS.includes(letter));
}
