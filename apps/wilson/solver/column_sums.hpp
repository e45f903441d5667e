// Sums over the lattice, separately for each column of a block.
//
// A sweep over all columns stores K contributions per cell; one sweep per column then adds them up. The sums of a
// column therefore do not depend on the number of columns beside it, to the last bit.
#pragma once

#include <apps/wilson/lattice/block.hpp>

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace tasuki::wilson {
namespace detail {

struct AddOffers {
  TS_CELL void operator()(auto c, auto offers, auto... sums) const {
    int k = 0;
    (sums(c, static_cast<double>(offers[k++](c))), ...);
  }
};

} // namespace detail

// Stores the contributions of a cell in a field.
template <class R, class C, int K, class Offers>
TS_HD void put_offers(const C& c, const R (&values)[K], const Offers& offers) {
  for (int k = 0; k < K; ++k) offers[k](c) = values[k];
}

template <class R, int K>
class ColumnSums {
public:
  ColumnSums(const Block& block, const std::string& name) : offers_(block.grid(), name) {
    for (int column = 0; column < block.columns(); ++column) {
      auto& sums = sums_.emplace_back();
      for (int k = 0; k < K; ++k)
        sums.emplace_back(block.world(), name + " " + std::to_string(column) + "." + std::to_string(k));
      adding_.push_back(each(
          [&](const auto&... sum) {
            return sweep(detail::AddOffers{}, block.column(column), reads(offers_), reduces(sum)...);
          },
          column));
    }
  }

  // The field to which a sweep writes its contributions: writes(sums.offers()).
  const Field<R[K]>& offers() const { return offers_; }

  // Items of a program that add up the contributions.
  Items add() const {
    Items list;
    for (const Sweep& sweep : adding_) list.push_back({.what = sweep});
    return list;
  }
  // Like add(), and calls f(s, sums..) for each column; s are the column's `Slots` scalars.
  template <int Slots, class F, int Count>
  Items settle(F f, const Scalars<Count>& scalars) const {
    std::vector<Scalars<Slots>> of_columns;
    std::vector<decltype(each([](const auto&... sum) { return std::tuple(sum...); }, 0))> sums;
    for (int column = 0; column < columns(); ++column) {
      of_columns.push_back(scalars.template part<Slots>(column * Slots));
      sums.push_back(each([](const auto&... sum) { return std::tuple(sum...); }, column));
    }
    Items list = add();
    list.push_back({.what = settle_each(std::move(f), of_columns, sums)});
    return list;
  }

  // Sum k of a column, over all ranks. Waits for the device. Collective.
  double value(int column, int k = 0) const {
    return sums_[static_cast<std::size_t>(column)][static_cast<std::size_t>(k)].value();
  }
  int columns() const { return static_cast<int>(sums_.size()); }

private:
  template <class F>
  auto each(const F& f, int column) const {
    const auto& sums = sums_[static_cast<std::size_t>(column)];
    return [&]<std::size_t... N>(std::index_sequence<N...>) { return f(sums[N]...); }
    (std::make_index_sequence<K>{});
  }

  Field<R[K]> offers_;
  std::vector<std::vector<Sum<double>>> sums_; // by column
  std::vector<Sweep> adding_;
};

} // namespace tasuki::wilson
