#pragma once

#include <sys/types.h>

#include <vector>

namespace perf_ts {

/** The user whose rights the kernel looks at when a thread opens, makes, renames or removes a file.
 */
struct FileIdentity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

/**
 * Gives the calling thread, and no other, the rights of `identity` to files: setfsuid(2),
 * setfsgid(2) and the supplementary groups. All else stays, so root takes its own rights back by
 * the same call: with another fsuid the kernel only withdraws the capabilities that override file
 * permissions. Returns an errno, 0 for success. After a failure the thread has a part of both
 * identities, and the caller sets the earlier one again.
 */
int SetFileIdentity(const FileIdentity& identity);

}  // namespace perf_ts
