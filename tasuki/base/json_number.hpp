// Checked conversion of numbers in JSON files: get<int>() alone truncates 4294967298 to 2, and 1.5 to 1.
//
//   const int ranks = json_number<int>(json.at("ranks"), "ranks of tuning.json", {1, 4096});
//     throws Error: ranks of tuning.json 1.5 is no whole number; give a whole number from 1 to 4096
#pragma once

#include <tasuki/base/number.hpp>

#include <nlohmann/json.hpp>

namespace tasuki {

// Json: nlohmann::json or ordered_json. Throws Error with `what` in its text.
template <class T, class Json>
T json_number(const Json& json, const std::string& what, const Range<T>& range = {}) {
  return parse_number<T>(json.dump(), what, range);
}

} // namespace tasuki
