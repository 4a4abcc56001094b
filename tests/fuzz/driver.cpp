// Runs a target without libFuzzer: on files, or on `-runs=N` damaged versions of its own seeds.
#include "core/base/file.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/mutate.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

void run_input(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

const std::string* current = nullptr;

/// The input that a crash or a time-out was about is kept.
extern "C" void keep_input(int signal) {
  const char* name = "crash-input";
  if (std::FILE* file = std::fopen(name, "wb"); file != nullptr && current != nullptr) {
    std::fwrite(current->data(), 1, current->size(), file);
    std::fclose(file);
    std::fprintf(stderr, "signal %d; the input is in %s\n", signal, name);
  }
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long runs = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "-runs=", 6) == 0)
      runs = std::strtoul(argv[i] + 6, nullptr, 10);
    else if (std::strncmp(argv[i], "-seed=", 6) == 0)
      seed = std::strtoull(argv[i] + 6, nullptr, 10);
    else
      files.emplace_back(argv[i]);
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGALRM}) std::signal(signal, keep_input);
  for (const std::string& file : files) run_input(resilin::read_file(file));
  std::vector<std::string> pool = fuzz_seeds();
  for (const std::string& input : pool) run_input(input);
  const std::size_t sound = pool.size();
  resilin::test::Mutator mutate(seed);
  for (unsigned long run = 0; run < runs; ++run) {
    constexpr std::size_t kPool = 64;
    const std::string input = mutate(pool[mutate.below(pool.size())]);
    current = &input;
    ::alarm(20);  // one input must not take that long
    run_input(input);
    // Damage on damage reaches further; the seeds themselves stay.
    if (pool.size() < kPool)
      pool.push_back(input);
    else if (mutate.below(4) == 0)
      pool[sound + mutate.below(kPool - sound)] = input;
    current = nullptr;
  }
  std::printf("%zu seeds, %zu files, %lu damaged inputs: no crash\n", sound, files.size(), runs);
  return 0;
}
