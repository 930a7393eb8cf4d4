// Takes abstract Unix sockets whose owner has gone: squatter full|accept NAME…
// full: the queue of each is full and nobody accepts. accept: who connects is accepted, and hung up on.
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { kMostSockets = 64 };

static int Bind(const char* name, int is_padded) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
  socklen_t length = is_padded ? sizeof address : offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr*)&address, length) != 0 || listen(listener, 0) != 0) {
    close(listener);
    return -1;
  }
  int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  connect(client, (struct sockaddr*)&address, length);
  return listener;
}

int main(int argc, char** argv) {
  struct pollfd listeners[kMostSockets];
  int count = 0;
  for (int i = 2; i < argc && count + 2 <= kMostSockets; i++) {
    for (int is_padded = 0; is_padded < 2; is_padded++) {
      int listener = Bind(argv[i], is_padded);
      if (listener >= 0) listeners[count++] = (struct pollfd){.fd = listener, .events = POLLIN};
    }
  }
  printf("took %d\n", count);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "full") == 0) pause();
  while (poll(listeners, count, -1) > 0) {
    for (int i = 0; i < count; i++) {
      if (listeners[i].revents != 0) close(accept(listeners[i].fd, NULL, NULL));
    }
  }
  return 0;
}
