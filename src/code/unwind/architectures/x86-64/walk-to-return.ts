import { KIND, type UnwindRule } from '../../unwind-rule.ts';
import { Instruction } from './instruction.ts';

/** A function that needs more than this to return is given up. */
const MOST_INSTRUCTIONS = 500;

const NONE = -1;
const PUSH_RAX = 0x50;
const POP_RAX = 0x58;
const RSP = 4;
const RBP = 5;
const LEAVE = 0xc9;
const REX_ALONE = 0x40;
const REX_B = 1;
const REX_R = 4;
const REX_W = 8;

/** A way through the code, and what was found on it. */
type Path = {
  position: number;
  /** Bytes taken off the stack. */
  freed: number;
  /** Bytes from sp at the start to where rbp was saved, −1 if it isn't restored on the way. */
  rbpAt: number;
  /** Bytes freed when the path set rbp to the stack pointer; NaN before. */
  freedAtFrame: number;
  /** The bytes freed once the addition has taken a frame down; NaN but between rbp's load and it. */
  freedWithoutFrame: number;
};

/** The search over all ways; `instructionsLeft` is their bound together. */
type Search = {
  readonly text: Uint8Array;
  readonly isExact: boolean;
  readonly branches: Set<number>;
  /** Ways that branches lead, which were not gone. */
  readonly untaken: Path[];
  instructionsLeft: number;
};

/**
 * Finds where a function without table and frame pointer keeps its return address: follows its code
 * from `at` to a `ret` and adds up what that path takes off the stack, since at the `ret` the stack
 * pointer points to it. Jumps are followed, branches go straight on, and are taken the second time,
 * so that loops end. Where a path ends otherwise, the last branch that was not taken is.
 *
 * At an ip (`isExact`, not a return address) a tail call through a register ends the path like a `ret`. V8's bytecode
 * handlers go on to the next one so, and have no frame of their own: rbp is that of the function
 * that they interpret, so following it would leave that function out.
 *
 * A frame that the path sets up, as code before a rare call does, it also takes down: until then
 * the stack pointer may change as it likes.
 *
 * False if every path leads out of `text` or to what no function returns through, or one sets the stack pointer from
 * elsewhere: then the function has a frame pointer already.
 */
export function walkToReturn(
  text: Uint8Array,
  at: number,
  rule: UnwindRule,
  isExact = false,
): boolean {
  const start: Path = {
    ...{ position: at, freed: 0, rbpAt: NONE },
    ...{ freedAtFrame: Number.NaN, freedWithoutFrame: Number.NaN },
  };
  const instructionsLeft = MOST_INSTRUCTIONS;
  const search: Search = { text, isExact, branches: new Set(), untaken: [start], instructionsLeft };
  for (let path = search.untaken.pop(); path !== undefined; path = search.untaken.pop()) {
    const found = follow(path, search, rule);
    if (found !== null) return found;
  }
  return false;
}

/** Whether the path leads to the function's return; null where it leads nowhere. */
function follow(path: Path, search: Search, rule: UnwindRule): boolean | null {
  const { text, isExact, branches, untaken } = search;
  const instruction = new Instruction();
  /** The register that the last instruction added to, −1 for none: jump tables end so. */
  let addedTo = NONE;
  for (; search.instructionsLeft > 0; search.instructionsLeft--) {
    const { position: start } = path;
    if (start < 0 || !instruction.decode(text, start)) return null;
    const { opcode, modrm, rex, immediate, length } = instruction;
    path.position += length;
    const isTail = isExact && isJumpToRegister(opcode, modrm) && registerOf(modrm, rex) !== addedTo;
    if (opcode === 0xc3 || opcode === 0xc2 || isTail) {
      if (!(path.freed >= 0)) return false;
      const cfaOffset = path.freed + 8;
      // Only an epilogue gives rbp back; without one the stack has to show whose path a tail call was.
      if (path.rbpAt < 0) rule.set(isTail ? KIND.TAIL_CALL : KIND.SP, cfaOffset, 0, -8);
      else rule.set(KIND.SP_SAVED, cfaOffset, path.rbpAt - cfaOffset, -8);
      return true;
    }
    addedTo = destinationOfAdd(opcode, modrm, rex);
    if (opcode === 0xe9 || opcode === 0xeb) path.position += immediate;
    else if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0x0f80 && opcode <= 0x0f8f)) {
      const target = path.position + immediate;
      if (branches.has(start)) path.position = target;
      else untaken.push({ ...path, position: target });
      branches.add(start);
    } else if (isDeadEnd(opcode, modrm)) return null;
    else if (opcode === 0xe8 && isPadding(text, path.position)) return null;
    else if (!addUp(path, instruction, text, start)) return false;
  }
  return null;
}

/** Adds what an instruction does to the stack; false if it shows that the function has a frame pointer. */
function addUp(path: Path, instruction: Instruction, text: Uint8Array, start: number): boolean {
  const { opcode, modrm, rex } = instruction;
  const hasFrame = !Number.isNaN(path.freedAtFrame);
  if (opcode >= PUSH_RAX && opcode < POP_RAX) path.freed -= 8;
  else if (opcode >= POP_RAX && opcode <= 0x5f) {
    const register = opcode - POP_RAX;
    const isLegacy = (rex & REX_B) === 0;
    if (isLegacy && register === RSP) return false;
    if (isLegacy && register === RBP) {
      if (path.freed >= 0) path.rbpAt = path.freed;
      path.freedAtFrame = Number.NaN;
    }
    path.freed += 8;
  } else if (opcode === 0x68 || opcode === 0x6a) path.freed -= 8;
  else if (opcode === 0xff && ((modrm >> 3) & 7) === 6) path.freed -= 8;
  else if (opcode === 0x8f) path.freed += 8;
  else if (opcode === LEAVE) {
    if (!hasFrame) return false;
    path.freed = path.freedAtFrame + 8;
    path.freedAtFrame = Number.NaN;
  } else if (writesStackPointer(opcode, modrm, rex)) {
    const adjusted = adjustment(text, start, instruction);
    if (Number.isNaN(adjusted) && !hasFrame) return false;
    // A callee may have taken arguments off the stack; the addition is that of the frame alone.
    if (!Number.isNaN(path.freedWithoutFrame)) path.freed = path.freedWithoutFrame;
    else path.freed = isMove(instruction, RBP, RSP) ? path.freedAtFrame : path.freed + adjusted;
    path.freedWithoutFrame = Number.NaN;
  } else if (isMove(instruction, RSP, RBP)) {
    path.freedAtFrame = path.freed;
  } else if (isLoadOfCallersRbp(instruction)) {
    if (!hasFrame) return false;
    path.freedWithoutFrame = path.freedAtFrame + 8;
    path.freedAtFrame = Number.NaN;
  }
  return true;
}

/** `mov %from,%to` of 64 bits, both of the first eight registers. */
function isMove({ opcode, modrm, rex }: Instruction, from: number, to: number): boolean {
  if (rex !== REX_ALONE + REX_W) return false;
  if (opcode === 0x89) return modrm === 0xc0 + from * 8 + to;
  return opcode === 0x8b && modrm === 0xc0 + to * 8 + from;
}

/** `mov (%rbp),%rbp`: V8 takes a frame down so, and sp by an addition. */
function isLoadOfCallersRbp({ opcode, modrm, rex }: Instruction): boolean {
  const isFromRbp = modrm < 0xc0 && (modrm & 7) === RBP && ((modrm >> 3) & 7) === RBP;
  return opcode === 0x8b && isFromRbp && rex === REX_ALONE + REX_W;
}

/** `jmp *%reg`. */
function isJumpToRegister(opcode: number, modrm: number): boolean {
  return opcode === 0xff && modrm >= 0xc0 && ((modrm >> 3) & 7) === 4;
}

function registerOf(modrm: number, rex: number): number {
  return (modrm & 7) + ((rex & REX_B) === 0 ? 0 : 8);
}

/** The register that `add` writes, −1 for other instructions. */
function destinationOfAdd(opcode: number, modrm: number, rex: number): number {
  if (opcode === 0x03) return ((modrm >> 3) & 7) + ((rex & REX_R) === 0 ? 0 : 8);
  if (opcode === 0x01 && modrm >= 0xc0) return registerOf(modrm, rex);
  return NONE;
}

/** `int3`, `hlt`, `ud2` and indirect jumps: tables of a switch, and calls through pointers. */
function isDeadEnd(opcode: number, modrm: number): boolean {
  if (opcode === 0xcc || opcode === 0xf4 || opcode === 0x0f0b) return true;
  return opcode === 0xff && ((modrm >> 3) & 7) === 4;
}

/** The function may end behind a call that doesn't return, and the next begin after some `nop`s. */
export function isPadding(text: Uint8Array, at: number): boolean {
  const first = text[at];
  const second = text[at + 1];
  if (first === 0x90 || first === 0xcc) return true;
  if (first === 0x0f && second === 0x1f) return true;
  return (
    first === 0x66 && (second === 0x90 || second === 0x2e || second === 0x66 || second === 0x0f)
  );
}

/** Whether an instruction of the common forms has rsp as its destination. */
function writesStackPointer(opcode: number, modrm: number, rex: number): boolean {
  const isRegisterForm = modrm >= 0xc0;
  const isRm = isRegisterForm && (modrm & 7) === RSP && (rex & REX_B) === 0;
  const isReg = modrm >= 0 && ((modrm >> 3) & 7) === RSP && (rex & REX_R) === 0;
  const isWide = (rex & REX_W) !== 0;
  if (!isWide) return false;
  // op r/m, r and op r/m, imm; all but compare and test.
  if (opcode === 0x81 || opcode === 0x83) return isRm && ((modrm >> 3) & 7) !== 7;
  if (opcode < 0x38 && (opcode & 7) === 1) return isRm;
  if (opcode === 0x89 || opcode === 0x87 || opcode === 0xc7) return isRm;
  // op r, r/m
  if (opcode < 0x38 && (opcode & 7) === 3) return isReg;
  return (opcode === 0x8b || opcode === 0x8d) && isReg;
}

/** Bytes that `add`, `sub` and `lea` of rsp itself take off the stack; NaN for other writes to rsp. */
function adjustment(text: Uint8Array, start: number, instruction: Instruction): number {
  const { opcode, modrm, immediate, length } = instruction;
  if (opcode === 0x81 || opcode === 0x83) {
    const operation = (modrm >> 3) & 7;
    return operation === 0 ? immediate : operation === 5 ? -immediate : Number.NaN;
  }
  // lea disp(%rsp),%rsp: its displacement is what lies behind the SIB byte 0x24.
  const isLea = opcode === 0x8d && (modrm & 7) === RSP && text[start + 3] === 0x24;
  if (!isLea) return Number.NaN;
  const view = new DataView(text.buffer, text.byteOffset + start, length);
  if (length === 5) return view.getInt8(4);
  return length === 8 ? view.getInt32(4, true) : Number.NaN;
}
