// Gradient checks of a task's parameters, as tests of physics ask for them.
#pragma once

#include "core/optim/gradcheck.hpp"

#include <gtest/gtest.h>

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace resilin::test {

/// The parameters of these paths pass the gradient check to 1e-6, and the loss depends on each of them.
/// Returns how many directions show that.
inline Index expect_gradients(Task& task, const std::vector<std::string>& paths, Index coordinates = 2) {
  GradcheckOptions options;
  options.coordinates = coordinates;
  options.random_directions = 1;
  options.paths = paths;
  const GradcheckReport report = check_gradient(task, options);
  EXPECT_TRUE(report.passed);
  std::vector<std::string> depends;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_LE(row.error, 1e-6) << row.path << " " << row.direction;
    if (!row.below_noise && row.adjoint != 0) depends.push_back(row.path);
  }
  for (const std::string& path : paths) EXPECT_THAT(depends, ::testing::Contains(path));
  return static_cast<Index>(depends.size());
}

}  // namespace resilin::test
