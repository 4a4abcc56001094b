// What machine this is, for tables of times.
#pragma once

#include <string>

namespace resilin::app {

/// "Intel(R) ... CPU, 2 processors".
std::string machine_description();

}  // namespace resilin::app
