#include "core/mesh/adjacency.hpp"

#include "core/base/error.hpp"
#include "core/mesh/generators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace resilin {
namespace {

TEST(SharedFaces, OfABoxOfHexahedraAreItsInnerRectangles) {
  // 3 x 2 x 1 cells of 1 x 2 x 4 m: two times two faces across x of 8 m^2, three across y of 4 m^2.
  const auto faces = shared_faces(make_box({3, 4, 4}, {3, 2, 1}, ElementType::Hex8));
  ASSERT_EQ(faces.size(), 7u);
  int across_x = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    EXPECT_LT(faces[i].first, faces[i].second);
    const bool large = std::abs(faces[i].area - 8) < 1e-12;
    across_x += large ? 1 : 0;
    EXPECT_NEAR(faces[i].area, large ? 8 : 4, 1e-12);
    if (i == 0) continue;
    EXPECT_LT(std::pair(faces[i - 1].first, faces[i - 1].second), std::pair(faces[i].first, faces[i].second));
  }
  EXPECT_EQ(across_x, 4);
}

TEST(SharedFaces, AndOuterFacesMakeAllFacesOfTetrahedra) {
  const Mesh mesh = make_box({1, 1, 1}, {2, 3, 2}, ElementType::Tet4);
  const auto faces = shared_faces(mesh);
  EXPECT_EQ(2 * static_cast<Index>(faces.size()) + extract_surface(mesh).faces.cols(),
            4 * mesh.num_elements());
}

TEST(SharedFaces, NeedAVolumeMesh) {
  Mesh triangle;
  triangle.type = ElementType::Tri3;
  EXPECT_THROW((void)shared_faces(triangle), Error);
}

}  // namespace
}  // namespace resilin
