// A check of numbers that CLI::Range alone would let through.
#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

namespace tasuki::job {

// A NaN is neither below a range nor above it, so no range refuses it.
inline CLI::Validator finite() {
  return {[](const std::string& text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && std::isfinite(value) ? std::string()
                                                                                  : text + " is no number";
          },
          ""};
}

} // namespace tasuki::job
