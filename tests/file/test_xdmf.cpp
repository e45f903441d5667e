#include <tasuki/file/xdmf.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

StoredField field(const std::string& name, ValueType type, int components) {
  return {name, type, 4, components, 0, 0};
}

TEST(Xdmf, LiesBesideTheSnapshot) {
  EXPECT_EQ(xdmf_path("a/b.h5"), "a/b.xmf");
  EXPECT_EQ(xdmf_path("a.h5/b"), "a.h5/b.xmf");
}

TEST(Xdmf, HasOneValueACell) {
  Manifest manifest;
  manifest.step = 12;
  manifest.extents = {5, 4, 3};
  manifest.fields = {field("u", ValueType::f64, 1)};
  const std::string text = xdmf_text("out/u.h5", manifest);
  EXPECT_TRUE(has_part(text, R"(TopologyType="3DCoRectMesh" Dimensions="4 5 6")"));
  EXPECT_TRUE(has_part(text, R"(Center="Cell")"));
  EXPECT_TRUE(
      has_part(text, R"(Dimensions="3 4 5" NumberType="Float" Precision="8" Format="HDF">u.h5:/fields/u<)"));
  EXPECT_TRUE(has_part(text, R"(<Time Value="12"/>)"));
}

TEST(Xdmf, ShowsEachComponentAndLeavesOutWhatItHasNoNumberFor) {
  Manifest manifest;
  manifest.extents = {5, 4};
  manifest.fields = {field("a<b", ValueType::i32, 2), field("z", ValueType::c64, 1)};
  const std::string text = xdmf_text("u.h5", manifest);
  EXPECT_TRUE(has_part(text, R"(Name="a&lt;b_0")"));
  EXPECT_TRUE(has_part(text, R"(Name="a&lt;b_1")"));
  EXPECT_TRUE(has_part(text, R"(TopologyType="3DCoRectMesh" Dimensions="2 5 6")"));
  EXPECT_TRUE(has_part(text, R"(ItemType="HyperSlab" Dimensions="1 4 5")"));
  EXPECT_TRUE(has_part(text, ">1 0 0  1 1 1  1 4 5<"));
  EXPECT_TRUE(has_part(text, R"(Dimensions="2 4 5" NumberType="Int" Precision="4" Format="HDF")"));
  EXPECT_FALSE(has_part(text, "/z"));
}

TEST(Xdmf, IsNotThereForOtherGrids) {
  Manifest manifest;
  manifest.fields = {field("u", ValueType::f32, 1)};
  manifest.extents = {5};
  EXPECT_EQ(xdmf_text("u.h5", manifest), "");
  manifest.extents = {5, 4, 3, 2};
  EXPECT_EQ(xdmf_text("u.h5", manifest), "");
  manifest.extents = {5, 4};
  manifest.fields = {field("z", ValueType::c128, 1)};
  EXPECT_EQ(xdmf_text("u.h5", manifest), "");
}

} // namespace
} // namespace tasuki
