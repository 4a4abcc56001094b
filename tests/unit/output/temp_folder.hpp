// A folder that lives as long as a test.
#pragma once

#include "core/base/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace resilin {

class TempFolder {
 public:
  TempFolder() : path_(testing::TempDir() + "resilin-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  ~TempFolder() {
    std::error_code ignored;  // a leftover in /tmp fails no test
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Expects an Error of this code whose text contains `part`.
template <class Action>
void expect_error(Errc code, const std::string& part, Action&& action) {
  try {
    action();
    ADD_FAILURE() << "expected an error with '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace resilin
