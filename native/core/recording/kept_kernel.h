#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace perf_ts {

/**
 * The kernel proper of one boot, as a file that is read back whole:
 *
 *   u64 magic   u64 checksum of all behind it   u64 bytes of the key   key   lines …
 *
 * `key` is the caller's, and distinguishes one boot from others.
 */
std::string PackKernel(std::string_view key, std::string_view proper);

/** The lines in what was packed with the same key; empty if it was not, or is damaged. A view of
 * `packed`. */
std::string_view UnpackKernel(std::string_view packed, std::string_view key);

}  // namespace perf_ts
