#include "numbers.hpp"

#include <tasuki/base/error.hpp>

#include <complex>
#include <cstring>
#include <type_traits>

namespace tasuki::xmp {
namespace {

template <class T>
struct Type {
  using type = T;
};

// Calls act(Type<T>) for the type of this kind.
template <class Act>
auto with_type(int type, const Act& act) {
  switch (type) {
    case TSK_CHAR: return act(Type<char>{});
    case TSK_SCHAR: return act(Type<signed char>{});
    case TSK_UCHAR: return act(Type<unsigned char>{});
    case TSK_SHORT: return act(Type<short>{});
    case TSK_USHORT: return act(Type<unsigned short>{});
    case TSK_INT: return act(Type<int>{});
    case TSK_UINT: return act(Type<unsigned>{});
    case TSK_LONG: return act(Type<long>{});
    case TSK_ULONG: return act(Type<unsigned long>{});
    case TSK_LLONG: return act(Type<long long>{});
    case TSK_ULLONG: return act(Type<unsigned long long>{});
    case TSK_BOOL: return act(Type<bool>{});
    case TSK_FLOAT: return act(Type<float>{});
    case TSK_DOUBLE: return act(Type<double>{});
    case TSK_LDOUBLE: return act(Type<long double>{});
    case TSK_FLOAT_COMPLEX: return act(Type<std::complex<float>>{});
    case TSK_DOUBLE_COMPLEX: return act(Type<std::complex<double>>{});
    default: throw Error("a struct has no such operation", "name numbers");
  }
}

template <class T>
constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T, class Op>
Fold made(Op) {
  return [](char* into, const char* from) {
    T a, b;
    std::memcpy(&a, into, sizeof a);
    std::memcpy(&b, from, sizeof b);
    const T made = static_cast<T>(Op{}(a, b));
    std::memcpy(into, &made, sizeof made);
  };
}

} // namespace

long size_of(int type) {
  return with_type(type, [](auto t) { return static_cast<long>(sizeof(typename decltype(t)::type)); });
}

ValueType value_type(int type) {
  switch (type) {
    case TSK_FLOAT: return ValueType::f32;
    case TSK_DOUBLE: return ValueType::f64;
    case TSK_FLOAT_COMPLEX: return ValueType::c64;
    case TSK_DOUBLE_COMPLEX: return ValueType::c128;
    case TSK_SHORT: return ValueType::i16;
    case TSK_INT: return ValueType::i32;
    case TSK_LONG:
    case TSK_LLONG: return ValueType::i64;
    default: return ValueType::bytes;
  }
}

bool is_whole(int type) {
  switch (type) {
    case TSK_FLOAT:
    case TSK_DOUBLE:
    case TSK_LDOUBLE:
    case TSK_FLOAT_COMPLEX:
    case TSK_DOUBLE_COMPLEX: return false;
    default: return true;
  }
}

Fold fold_of(int op, int type) {
  return with_type(type, [&](auto t) -> Fold {
    using T = typename decltype(t)::type;
    switch (op) {
      case TSK_SUM:
      case TSK_DIFFERENCE: return made<T>([](T a, T b) { return a + b; });
      case TSK_PRODUCT: return made<T>([](T a, T b) { return a * b; });
      default: break;
    }
    if constexpr (std::is_integral_v<T>) switch (op) {
        case TSK_BIT_AND: return made<T>([](T a, T b) { return a & b; });
        case TSK_BIT_OR: return made<T>([](T a, T b) { return a | b; });
        case TSK_BIT_XOR: return made<T>([](T a, T b) { return a ^ b; });
        default: break;
      }
    if constexpr (!is_complex<T>) switch (op) {
        case TSK_AND: return made<T>([](T a, T b) { return a && b; });
        case TSK_OR: return made<T>([](T a, T b) { return a || b; });
        case TSK_MAX:
        case TSK_FIRSTMAX:
        case TSK_LASTMAX: return made<T>([](T a, T b) { return b > a ? b : a; });
        case TSK_MIN:
        case TSK_FIRSTMIN:
        case TSK_LASTMIN: return made<T>([](T a, T b) { return b < a ? b : a; });
        default: break;
      }
    throw Error("a number of this type has no such reduction", "take + or *, or another type");
  });
}

Product product_of(int type) {
  return with_type(type, [](auto t) -> Product {
    using T = typename decltype(t)::type;
    return [](char* into, const char* left, const char* right, long step, long count) {
      T sum;
      std::memcpy(&sum, into, sizeof sum);
      for (long k = 0; k < count; ++k) {
        T a, b;
        std::memcpy(&a, left + k * static_cast<long>(sizeof a), sizeof a);
        std::memcpy(&b, right + k * step * static_cast<long>(sizeof b), sizeof b);
        sum = static_cast<T>(sum + a * b);
      }
      std::memcpy(into, &sum, sizeof sum);
    };
  });
}

int compare(int type, const char* first, const char* second) {
  return with_type(type, [&](auto t) -> int {
    using T = typename decltype(t)::type;
    if constexpr (is_complex<T>) {
      throw Error("complex numbers have no order", "take the maximum of another type");
    } else {
      T a, b;
      std::memcpy(&a, first, sizeof a);
      std::memcpy(&b, second, sizeof b);
      return a < b ? -1 : a > b ? 1 : 0;
    }
  });
}

} // namespace tasuki::xmp
