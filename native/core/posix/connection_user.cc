#include "connection_user.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "fd.h"

namespace perf_ts {
namespace {

/** An IPv4 address that a socket of IPv6 has stands as one of IPv4. */
bool ParseAddress(const char* text, int* family, void* out) {
  constexpr char kMapped[] = "::ffff:";
  constexpr size_t kMappedLength = sizeof kMapped - 1;
  if (strncmp(text, kMapped, kMappedLength) == 0 && strchr(text, '.') != nullptr) {
    text += kMappedLength;
  }
  *family = strchr(text, ':') == nullptr ? AF_INET : AF_INET6;
  return inet_pton(*family, text, out) == 1;
}

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 request;
};

bool MakeQuestion(TcpEnd peer, TcpEnd own, Question* question) {
  *question = {};
  int own_family = AF_UNSPEC, peer_family = AF_UNSPEC;
  inet_diag_sockid& id = question->request.id;
  if (!ParseAddress(peer.address, &peer_family, id.idiag_src) ||
      !ParseAddress(own.address, &own_family, id.idiag_dst) || own_family != peer_family) {
    return false;
  }
  question->header.nlmsg_len = sizeof *question;
  question->header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question->header.nlmsg_flags = NLM_F_REQUEST;
  question->request.sdiag_family = static_cast<uint8_t>(peer_family);
  question->request.sdiag_protocol = IPPROTO_TCP;
  question->request.idiag_states = ~0u;
  id.idiag_sport = htons(peer.port);
  id.idiag_dport = htons(own.port);
  id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return true;
}

}  // namespace

ConnectionUser FindConnectionUser(TcpEnd peer, TcpEnd own) {
  constexpr ConnectionUser kUnknown = {ConnectionUserKind::kUnknown, 0};
  Question question;
  if (!MakeQuestion(peer, own, &question)) return kUnknown;
  const Fd socket(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket.valid()) return kUnknown;
  sockaddr_nl kernel = {};
  kernel.nl_family = AF_NETLINK;
  if (sendto(socket.get(), &question, sizeof question, 0, reinterpret_cast<sockaddr*>(&kernel),
             sizeof kernel) < 0) {
    return kUnknown;
  }
  // The answer is there when the question is sent; it may have attributes behind it.
  alignas(nlmsghdr) char bytes[1024];
  const ssize_t size = recv(socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (size < static_cast<ssize_t>(sizeof(nlmsghdr))) return kUnknown;
  nlmsghdr header;
  memcpy(&header, bytes, sizeof header);
  const size_t rest = static_cast<size_t>(size) - sizeof header;
  if (header.nlmsg_type == NLMSG_ERROR && rest >= sizeof(nlmsgerr)) {
    nlmsgerr error;
    memcpy(&error, bytes + sizeof header, sizeof error);
    return error.error == -ENOENT ? ConnectionUser{ConnectionUserKind::kNone, 0} : kUnknown;
  }
  inet_diag_msg found;
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || rest < sizeof found) return kUnknown;
  memcpy(&found, bytes + sizeof header, sizeof found);
  // The kernel answers with a socket that listens at the port where no such connection exists.
  // Without an inode no process holds it, and the owner reads as root.
  const bool is_same = found.id.idiag_dport == question.request.id.idiag_dport;
  if (!is_same || found.idiag_inode == 0) return {ConnectionUserKind::kNone, 0};
  return {ConnectionUserKind::kUser, found.idiag_uid};
}

}  // namespace perf_ts
