#include "core/base/interrupt.hpp"

#include <csignal>
#include <unistd.h>

namespace resilin {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;  // NOLINT: a signal handler can reach nothing else

void on_signal(int signal) {
  if (g_interrupted != 0) _exit(128 + signal);
  g_interrupted = 1;
}

}  // namespace

void install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
}
bool interrupted() {
  return g_interrupted != 0;
}

Interrupted::~Interrupted() = default;
const char* Interrupted::what() const noexcept {
  return "interrupted";
}

}  // namespace resilin
