#include <tasuki/base/agree.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/program/reduction.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace tasuki::detail {
namespace {

// A run's own questions are part of what was agreed on.
void expect_alike(World& world, const ReductionCore& reduction) {
  if (Underway::in(world)) return;
  agree(world, "asks for a reduction",
        {{"name", reduction.name()},
         {"values",
          std::to_string(reduction.part_bytes()) + (reduction.exact() ? " bytes, exact" : " bytes")}});
}

} // namespace

ReductionCore::ReductionCore(World& world, std::string name, std::size_t value_bytes, bool exact)
    : world_(world),
      device_(world.part<Device>()),
      name_(std::move(name)),
      value_bytes_(value_bytes),
      exact_(exact),
      slot_(device_, (value_bytes + 7) / 8 * 8) {
  if (exact) digits_ = Buffer(device_, sizeof(ExactSum));
}

void ReductionCore::reserve(long blocks) {
  if (blocks <= blocks_ || exact_) return;
  constexpr long kWarps = kBlock / 32, kFolders = kBlock; // of a block; blocks that fold, at most
  // What is enqueued, or kept in a graph, goes on in the old room.
  if (partials_.data()) outgrown_.push_back(std::move(partials_));
  partials_ = Buffer(device_, static_cast<std::size_t>(blocks * kWarps + kFolders) * value_bytes_);
  if (!counters_.data()) counters_ = Buffer(device_, sizeof(unsigned));
  blocks_ = blocks;
}

void ReductionCore::need_swept() const {
  if (ready_) return;
  throw Error("reduction '" + name_ + "' was asked for before any sweep filled it",
              "run a program with a sweep that reduces it first");
}

void ReductionCore::need_ready() {
  need_swept();
  device_.stream().synchronize();
}

void ReductionCore::write_part(char* to) const {
  copy_to_host(device_, to, part(), static_cast<std::size_t>(part_bytes()));
}

std::vector<std::vector<char>> gather_parts(World& world, const std::vector<ReductionCore*>& reductions) {
  if (!reductions.empty()) expect_alike(world, *reductions.front());
  std::vector<char> mine;
  for (ReductionCore* reduction : reductions) {
    reduction->need_ready();
    const std::size_t at = mine.size();
    mine.resize(at + static_cast<std::size_t>(reduction->part_bytes()));
    reduction->write_part(&mine[at]);
  }
  const std::size_t ranks = static_cast<std::size_t>(world.size());
  const std::vector<char> all = gather_rows(world, mine);
  std::vector<std::vector<char>> parts;
  std::size_t at = 0;
  for (const ReductionCore* reduction : reductions) {
    const auto part = static_cast<std::size_t>(reduction->part_bytes());
    std::vector<char>& own = parts.emplace_back();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const char* const from = &all[rank * mine.size() + at];
      own.insert(own.end(), from, from + part);
    }
    at += part;
  }
  return parts;
}

double exact_sum_of(const std::vector<char>& parts) {
  ExactSum sum{};
  for (std::size_t at = 0; at < parts.size(); at += sizeof sum) {
    ExactSum part;
    std::memcpy(part.digit, &parts[at], sizeof part);
    exact_carry(part.digit);
    for (int k = 0; k < ExactSum::kSize; ++k) sum.digit[k] += part.digit[k];
  }
  return exact_value(sum);
}

double ReductionCore::exact_sum() {
  need_ready();
  expect_alike(world_, *this);
  ExactSum sum;
  copy_to_host(device_, sum.digit, digits_.data(), sizeof sum);
  exact_carry(sum.digit);
  const auto all = reduce_sum(world_, std::vector<long long>(std::begin(sum.digit), std::end(sum.digit)));
  std::copy(all.begin(), all.end(), sum.digit);
  return exact_value(sum);
}

} // namespace tasuki::detail
