// Sums of many doubles on a host, exact until the last rounding, at about the speed of a plain sum.
//
//   ExactBins bins;  bins.add(x, n);  ...  bins.finish(digit);  // adds to the digits of an ExactSum
//
// A bin is a running sum that starts at an anchor, 1.5 * 2^k with k far above the numbers, and stays near it. Adding x
// adds exactly x rounded to a multiple of the anchor's last place. The rounding error is also known exactly (Dekker's
// FastTwoSum, 1971), and is added to a second bin 45 bits below. Bins that make a sum independent of its order are an
// idea of Demmel and Nguyen (Fast reproducible floating-point summation, 2013). Unlike theirs, these bins never drop a
// bit: numbers with a remainder below the last bin, or too large for the first, get additional bins of their own.
#pragma once

#include <tasuki/device/exact_sum.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tasuki {

class ExactBins {
public:
  static constexpr int kWide = 16; // n is padded with zeros to a multiple of this; x must have room for it
  static constexpr int kMostAtOnce = 128;

  // bins: 1 if the numbers were floats, whose bits usually fit into one bin.
  explicit ExactBins(int bins = 2) : bins_(bins) {}

  // Adds n <= kMostAtOnce numbers. x must have room for a multiple of kWide numbers; its contents are changed.
  void add(double* x, int n) {
    const int padded = (n + kWide - 1) / kWide * kWide;
    for (int k = n; k < padded; ++k) x[k] = 0;
    const Fit fit = bins_ == 1 ? deposit<1>(x, padded) : deposit<2>(x, padded);
    if (fit != Fit::good) add_unlike(x, padded, fit);
  }

  // Adds the sum to the digits of an ExactSum, and resets it to zero.
  void finish(long long* digit) {
    flush();
    exact_carry(sum_.digit);
    for (int k = 0; k < ExactSum::kSize; ++k) digit[k] += sum_.digit[k];
    sum_ = {};
  }

private:
  static constexpr int kPieces = 4; // independent vector sums, so that additions overlap
  using Vector [[gnu::vector_size(32)]] = double;
  using Bits [[gnu::vector_size(32)]] = long long;
  static constexpr long long kExponent = static_cast<long long>(0xfffull << 52); // mask of sign and exponent

  // Vectors are passed by reference: the calling convention for values depends on the target processor.
  static void load(Vector& v, const double* from) { std::memcpy(&v, from, sizeof v); }
  static void store(double* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }
  static void fill(Vector& v, long long bits) {
    const Bits each = {bits, bits, bits, bits};
    v = (Vector)each;
  }

  enum class Fit { good, low, none }; // low: all fit, except for remainders below the last bin

  // Adds n numbers to the bins. Changes nothing unless all numbers fit into the bins with their present anchors.
  template <int Bins>
  Fit deposit(const double* x, int n) {
    Vector high[kPieces], low[kPieces];
    Bits odd{}, left{};
    const Bits anchor = (Bits)anchor_[0];
    for (int p = 0; p < kPieces; ++p) {
      high[p] = bin_[0][p];
      if (Bins > 1) low[p] = bin_[1][p];
    }
    for (int k = 0; k < n; k += kWide)
      for (int p = 0; p < kPieces; ++p) {
        Vector v;
        load(v, x + k + 4 * p);
        const Vector sum = high[p] + v;
        Vector rest = (high[p] - sum) + v; // this order yields no negative zero
        high[p] = sum;
        // While the sum has its anchor's exponent, v is no larger than the sum, and the remainder is exact.
        odd |= (Bits)sum ^ anchor;
        if (Bins > 1) {
          const Vector next = low[p] + rest;
          rest = (low[p] - next) + rest;
          low[p] = next;
        }
        left |= (Bits)rest;
      }
    if (Bins > 1)
      for (int p = 0; p < kPieces; ++p) odd |= (Bits)low[p] ^ (Bits)anchor_[1];
    if ((odd[0] | odd[1] | odd[2] | odd[3]) & kExponent) return Fit::none;
    if (left[0] | left[1] | left[2] | left[3]) return Fit::low;
    for (int p = 0; p < kPieces; ++p) {
      bin_[0][p] = high[p];
      if (Bins > 1) bin_[1][p] = low[p];
    }
    return Fit::good;
  }

  void put(double x) {
    exact_split(x, [this](int k, long long amount) { sum_.digit[k] += amount; });
    if (++puts_ % kCarryEvery == 0) exact_carry(sum_.digit);
  }

  static int exponent_of(double x) {
    long long bits;
    std::memcpy(&bits, &x, sizeof bits);
    return static_cast<int>(bits >> 52 & 0x7ff);
  }
  static double largest(const double* x, int n) {
    double most = 0;
    for (int k = 0; k < n; ++k) most = std::max(most, std::fabs(x[k]));
    return most;
  }

  // Adds numbers that do not fit into the present bins: with new anchors for the bins, or in several rounds.
  [[gnu::noinline]] void add_unlike(double* x, int n, Fit fit) {
    for (int k = 0; k < n; ++k)
      if (exponent_of(x[k]) > ExactAnchor::kMostExponent) { // includes infinities and NaN
        put(x[k]);
        x[k] = 0;
      }
    double most = largest(x, n);
    if (most == 0) return;
    const int exponent = exponent_of(most);
    if (fit == Fit::none || bins_ == 1 || exponent < anchored_ - kNear) {
      flush();
      anchored_ = exponent;
      for (int bin = 0; bin < 2; ++bin) {
        fill(anchor_[bin], ExactAnchor::bits(exponent, bin));
        std::fill(bin_[bin], bin_[bin] + kPieces, anchor_[bin]);
      }
      if (bins_ == 1 && deposit<1>(x, n) == Fit::good) return;
      bins_ = 2;
      if (deposit<2>(x, n) == Fit::good) return;
    }
    for (; most > 0; most = largest(x, n)) // each round takes 90 bits of the remainder, of 2098
      for (int bin = 0; bin < 2; ++bin) {
        Vector anchor;
        fill(anchor, ExactAnchor::bits(exponent_of(most), bin));
        Vector sum = anchor;
        for (int k = 0; k < n; k += 4) {
          Vector v;
          load(v, x + k);
          const Vector next = sum + v;
          store(x + k, (sum - next) + v);
          sum = next;
        }
        const Vector part = sum - anchor;
        put((part[0] + part[1]) + (part[2] + part[3]));
      }
  }

  // Adds the bins to the digits. A bin has its anchor's exponent, so the difference of their bit patterns is a number
  // of units of the last place.
  void flush() {
    for (int bin = 0; bin < 2; ++bin) {
      const Bits anchor = (Bits)anchor_[bin];
      Bits units{};
      for (int p = 0; p < kPieces; ++p) {
        units += (Bits)bin_[bin][p] - anchor;
        bin_[bin][p] = anchor_[bin];
      }
      const long long count = (units[0] + units[1]) + (units[2] + units[3]);
      const int exponent = static_cast<int>(anchor[0] >> 52);
      exact_put(static_cast<unsigned long long>(count < 0 ? -count : count),
                count<0, exponent> 0 ? exponent - 1 : 0,
                [this](int k, long long amount) { sum_.digit[k] += amount; });
    }
    if (++puts_ % kCarryEvery == 0) exact_carry(sum_.digit);
  }

  static constexpr int kNear = 8; // bits by which an anchor may be too high
  static constexpr long kCarryEvery = 1l << 28;
  // Anchors are 0 at first: such bins take zeros, and numbers whose biased exponent is 0.
  Vector anchor_[2] = {}, bin_[2][kPieces] = {};
  int bins_, anchored_ = -1;
  long puts_ = 0;
  ExactSum sum_{};
};

} // namespace tasuki
