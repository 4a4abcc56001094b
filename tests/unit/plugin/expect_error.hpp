// Asserts on thrown Errors, whole sentence included.
#pragma once

#include "core/base/error.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace resilin::test {

/// Expects `action` to throw an Error of `code` whose text has all `parts`; returns the text.
template <class Action>
std::string expect_error(Errc code, const Action& action, std::initializer_list<const char*> parts = {}) {
  try {
    action();
  } catch (const Error& e) {
    const std::string what = e.what();
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(code)) << what;
    for (const char* part : parts)
      EXPECT_NE(what.find(part), std::string::npos) << what << "\n  lacks: " << part;
    return what;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

}  // namespace resilin::test
