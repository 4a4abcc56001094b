#include "core/output/hdf5_util.hpp"

#include "tests/unit/output/temp_folder.hpp"

#include <gtest/gtest.h>

namespace resilin {
namespace {

herr_t printer(hid_t, void*) {
  return 0;
}

TEST(Hdf5Session, SilencesAndRestoresThePrinter) {
  { const hdf5::Session first; }  // before any other call, as everywhere
  H5E_auto2_t before = nullptr, seen = nullptr;
  void *before_data = nullptr, *seen_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
  H5Eset_auto2(H5E_DEFAULT, printer, &seen_data);
  {
    const hdf5::Session outer;
    const hdf5::Session inner;  // may be nested
    void* ignored = nullptr;
    H5Eget_auto2(H5E_DEFAULT, &seen, &ignored);
    EXPECT_EQ(seen, nullptr);
  }
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &seen, &data);
  EXPECT_EQ(seen, &printer);
  EXPECT_EQ(data, &seen_data);
  H5Eset_auto2(H5E_DEFAULT, before, before_data);
}

TEST(Hdf5Handle, ClosesOnce) {
  const hdf5::Session session;
  const hid_t space = H5Screate(H5S_SCALAR);
  {
    hdf5::Handle first(space, H5Sclose);
    hdf5::Handle second = std::move(first);
    EXPECT_FALSE(first.valid());
    EXPECT_EQ(second.get(), space);
    EXPECT_GT(H5Iis_valid(space), 0);
    EXPECT_TRUE(second.close());
    EXPECT_TRUE(second.close());
  }
  EXPECT_EQ(H5Iis_valid(space), 0);
}

}  // namespace
}  // namespace resilin
