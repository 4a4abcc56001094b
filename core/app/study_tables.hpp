// Markdown tables of a study beside that of its rows.
#pragma once

#include "core/app/study.hpp"

#include <string>
#include <vector>

namespace resilin::app {

/// A number by a format of fmt; "-" if it is none.
std::string number(double value, const char* format);

/// The times at equal errors, with how many times the fastest variant is faster; "" if none are asked for.
std::string equal_error_tables(const StudyOptions& options, const std::vector<StudyRow>& rows);

/// What random right-hand sides showed of the backward solvers; "" if none are asked for.
std::string adjoint_table(const StudyOptions& options, const std::vector<StudyRow>& rows);
/// Losses alone: for each scene and number of threads a row for each value and a column for each variant.
std::string loss_tables(const StudyOptions& options, const std::vector<StudyRow>& rows);

}  // namespace resilin::app
