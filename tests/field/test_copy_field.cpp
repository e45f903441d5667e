// What a copied field holds: the other's cells, whatever the layouts, halos and devices of the two.
#include <tasuki/field/copy_field.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::refusal;
using test::world;

template <class T>
std::vector<typename Field<T>::Element> drawn(const Field<T>& like, test::Random& random) {
  auto values = like.to_host();
  for (auto& value : values) value = static_cast<float>(test::pick(random, -1000, 1000));
  return values;
}

template <class T>
void there_and_back(Device& a, Device& b) {
  auto random = test::random(5 + static_cast<std::uint64_t>(world().rank()));
  Grid<3> first(world(), {13, 7, 9}, {.halo = {2, 1, 0}, .device = &a});
  Widths narrow{};
  narrow[1] = Width(1);
  Grid<3> second(world(), first.cut(), narrow, &b);
  Field<T> u(first, "u"), v(first, "v"), w(second, "w");
  for (int trial = 0; trial < 3; ++trial) {
    const auto values = drawn(u, random);
    u.from_host(values);
    copy(u, w);
    u.from_host(drawn(u, random)); // a copy is no view
    copy(w, v);
    EXPECT_EQ(w.to_host(), values);
    EXPECT_EQ(v.to_host(), values);
    EXPECT_EQ(v.core()->validity().depth(), Depth{});
  }
}

TEST(CopyField, GoesBetweenDevices) {
  Device &own = world().part<Device>(), &host = Device::host(world());
  for (Device* a : {&own, &host})
    for (Device* b : {&own, &host}) {
      there_and_back<float>(*a, *b);
      there_and_back<float[3]>(*a, *b);
      there_and_back<float[kMostPlanes + 2]>(*a, *b);
    }
}

TEST(CopyField, LeavesTheHaloAlone) {
  Grid<1> grid(world(), {16L * world().size()}, {.halo = 1});
  Grid<1> other(world(), grid.cut(), grid.core()->halo(), &Device::host(world()));
  Field<float> u(grid, "u"), w(other, "w");
  u.from_host(std::vector<float>(16, 3.0f));
  w.data()[-1] = 7.0f; // of the host, which reads and writes it as it stands
  w.data()[16] = 8.0f;
  copy(u, w);
  EXPECT_EQ(w.data()[-1], 7.0f);
  EXPECT_EQ(w.data()[16], 8.0f);
  EXPECT_EQ(w.data()[15], 3.0f);
}

TEST(CopyField, RefusesWhatDiffers) {
  const long n = 16L * world().size();
  Grid<1> grid(world(), {n}), longer(world(), {2 * n});
  Field<float> u(grid, "u"), far(longer, "far");
  Field<int> whole(grid, "whole");
  EXPECT_EQ(refusal([&] { copy(u, far); }),
            "fields 'u' and 'far' cannot be copied: their grids are cut differently; give the second grid "
            "the first one's cut: Grid(world, first.cut(), halo, &device)");
  EXPECT_EQ(refusal([&] { copy(*u.core(), *whole.core()); }),
            "fields 'u' and 'whole' cannot be copied: they differ in value; copy fields of one value type");
}

} // namespace
} // namespace tasuki
