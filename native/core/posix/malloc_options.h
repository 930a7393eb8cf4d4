#pragma once

namespace perf_ts {

/**
 * Makes each block of at least so many bytes memory of its own, which the kernel gets back
 * when it is freed. glibc does so too, until the first large block is freed: then it makes its
 * limit as large as that, up to 32 MiB. False where the C library has no such option, as musl,
 * whose blocks are so from 128 KiB on.
 */
bool MapBlocksFrom(int bytes);

}  // namespace perf_ts
