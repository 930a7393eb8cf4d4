#pragma once

#include "v8_abi.h"

namespace perf_ts {

/**
 * Sets a flag of V8 that changes no bytecode, and lets V8 go on to take code caches that were made
 * without it, as Node's own of its modules: a cache is of one hash of all flags. V8 keeps that hash
 * in a word, which it clears where a flag changes and computes anew when it is asked:
 *
 *     before  │ flag set │ asked for the tag │
 *       h0    │    0     │        h1         │ ─▶ h0, after which V8 gives the tag of before
 *
 * The word is the one of the program's data that goes that way, back, and that way again; then the
 * tag is the proof. Where none does, or several do, V8 compiles anew what it would have taken from
 * caches. No other flag is to change meanwhile. `on`, `off`: the flag with either value.
 */
void SetFlagWithinHash(v8_abi::SetFlags set_flags, v8_abi::GetVersionTag get_tag, const char* on,
                       const char* off);

}  // namespace perf_ts
