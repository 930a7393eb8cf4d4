#include "file_identity.h"

#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace perf_ts {

int SetFileIdentity(const FileIdentity& identity) {
  // libc's setgroups would change all threads.
  if (syscall(SYS_setgroups, identity.groups.size(), identity.groups.data()) != 0) return errno;
  // These two return the previous id whether they succeeded or not; -1 is an id that is never set.
  setfsgid(identity.gid);
  if (static_cast<gid_t>(setfsgid(static_cast<gid_t>(-1))) != identity.gid) return EPERM;
  setfsuid(identity.uid);
  if (static_cast<uid_t>(setfsuid(static_cast<uid_t>(-1))) != identity.uid) return EPERM;
  return 0;
}

}  // namespace perf_ts
