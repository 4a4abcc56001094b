// What a target tells the driver that works without libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Sound inputs to damage.
std::vector<std::string> fuzz_seeds();
