#include "calls.hpp"

#include "translated.h"

#include <utility>

namespace tasuki::xmp {
namespace {
thread_local const char* place = nullptr;
}

const char* place_of_call(const char* otherwise) {
  const char* const found = std::exchange(place, nullptr);
  return found ? found : otherwise;
}

} // namespace tasuki::xmp

extern "C" void tsk_here(const char* where) { tasuki::xmp::place = where; }
