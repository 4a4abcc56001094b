#include "core/mesh/mesh_generator.hpp"

namespace resilin {

MeshGenerator::~MeshGenerator() = default;

}  // namespace resilin
