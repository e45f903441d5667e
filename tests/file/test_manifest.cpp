// The list of fields at the end of a checkpoint comes back, number for number.
#include <tasuki/file/manifest.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace tasuki {
namespace {

Manifest example_manifest() {
  Manifest manifest;
  manifest.step = 1L << 40;
  manifest.extents = {7, 5, 3};
  manifest.values = {{"kappa", 0.1}, {"r", -std::numeric_limits<double>::infinity()}, {"tiny", 4e-320}};
  manifest.fields = {{"u", ValueType::f32, 4, 1, 512, ~std::uint64_t(0)},
                     {"a \"b\"", ValueType::c128, 16, 4, 99999999999, 1},
                     {"s", ValueType::bytes, 24, 1, 0, 0}};
  return manifest;
}

TEST(Manifest, ComesBack) {
  const Manifest had = example_manifest(), back = parse_manifest("a.h5", to_text(had));
  EXPECT_EQ(back.step, had.step);
  EXPECT_EQ(back.extents, had.extents);
  EXPECT_EQ(back.values, had.values);
  EXPECT_EQ(back.cells(), 105u);
  ASSERT_EQ(back.fields.size(), had.fields.size());
  for (const StoredField& field : had.fields) {
    const StoredField* found = back.find(field.name);
    ASSERT_NE(found, nullptr) << field.name;
    EXPECT_EQ(found->type, field.type);
    EXPECT_EQ(found->element_bytes, field.element_bytes);
    EXPECT_EQ(found->components, field.components);
    EXPECT_EQ(found->offset, field.offset);
    EXPECT_EQ(found->checksum, field.checksum);
  }
  EXPECT_EQ(back.find("none"), nullptr);
}

TEST(Manifest, IsRefusedWhereItIsNone) {
  for (const char* text : {"", "{}", "[1]", "{\"step\": \"one\"}", "no json"}) {
    try {
      parse_manifest("a.h5", text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("a.h5 was altered", 0), 0u);
    }
  }
}

TEST(Manifest, NamesWhatAValueIs) {
  EXPECT_EQ(value_text(ValueType::f32, 4, 1), "float");
  EXPECT_EQ(value_text(ValueType::c128, 16, 3), "complex of double[3]");
  EXPECT_EQ(value_text(ValueType::bytes, 24, 1), "24-byte value");
}

} // namespace
} // namespace tasuki
