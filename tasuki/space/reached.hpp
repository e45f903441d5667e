// An array over devices as kernels take it: elements by [], as of a pointer. In a checked build (TASUKI_CHECKED) a kernel that
// touches what its device does not reach ends the run by a line that names the element; else the driver ends it by error 700.
//
//   struct Send {
//     Reached<float> to;
//     TS_CELL void operator()(auto c, auto u, auto v) const { to[static_cast<std::size_t>(c[0])] = v(c) = u(c); }
//   };
//   Space space(world);
//   const auto a = space.array<float>({1 << 20}, space.bands({1 << 20}, sizeof(float)), "a", Memory::device);
//   run(sweep(Send{reached(a)}, grid.all(), reads(u), writes(v))); // or kernel<<<blocks, threads>>>(reached(a))
//   space.sync();                                                  // the line is said here
#pragma once

#include <tasuki/space/reach.hpp>
#include <tasuki/space/space.hpp>

#include <cstddef>

namespace tasuki {

// A plain value. An access that missed reads and writes memory that nobody needs.
template <class T>
class Reached {
  static_assert(sizeof(T) <= space::Reach::kSpare,
                "an element is larger than what an access that missed gets");

public:
#if defined(TASUKI_CHECKED)
  explicit Reached(const Global<T>& array) : data_(array.data()), reach_(array.space().reach(array.data())) {}
#else
  explicit Reached(const Global<T>& array) : data_(array.data()) {}
#endif

  TS_HD T& operator[](std::size_t k) const {
#if defined(TASUKI_CHECKED)
    if (!reach_.has(k * sizeof(T), sizeof(T))) {
      reach_.note(k * sizeof(T));
      return *reinterpret_cast<T*>(reach_.spare);
    }
#endif
    return data_[k];
  }

private:
  T* data_;
#if defined(TASUKI_CHECKED)
  space::Reach reach_;
#endif
};

// Of an array over devices; else an Error in a checked build.
template <class T>
Reached<T> reached(const Global<T>& array) {
  return Reached<T>(array);
}

} // namespace tasuki
