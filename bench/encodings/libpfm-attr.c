/* The attr that libpfm makes of each name in argv, by its own headers: a check of the structs that
   native/core/names/libpfm.cc declares. One line each: error, type, config, config1, config2, flags, period. */
#include <inttypes.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (pfm_initialize() != PFM_SUCCESS) return 1;
  for (int i = 1; i < argc; i++) {
    struct perf_event_attr attr;
    pfm_perf_encode_arg_t argument;
    uint64_t flags;
    memset(&attr, 0, sizeof attr);
    memset(&argument, 0, sizeof argument);
    attr.size = sizeof attr;
    argument.attr = &attr;
    argument.size = sizeof argument;
    int error = pfm_get_os_event_encoding(argv[i], PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
    memcpy(&flags, (char *)&attr + 40, sizeof flags);
    if (error != PFM_SUCCESS) memset(&attr, 0, sizeof attr), flags = 0;
    printf("%d %u %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", error, attr.type,
           (uint64_t)attr.config, (uint64_t)attr.config1, (uint64_t)attr.config2, flags,
           (uint64_t)attr.sample_period);
  }
  return 0;
}
