#include <tasuki/base/agree.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/program/merged_parts.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace tasuki::detail {
namespace {

// Calls within a run were compared when the run began.
void expect_alike(World& world, const ReductionCore& reduction) {
  if (Underway::in(world)) return;
  agree(world, "asks for a reduction",
        {{"name", reduction.name()},
         {"values",
          std::to_string(reduction.part_bytes()) + (reduction.exact() ? " bytes, exact" : " bytes")}});
}

} // namespace

ReductionCore::ReductionCore(Device& device, std::string name, std::size_t value_bytes, bool exact,
                             Merger merge)
    : world_(device.world()),
      device_(device),
      name_(std::move(name)),
      value_bytes_(value_bytes),
      exact_(exact),
      merge_(merge),
      slot_(device_, (value_bytes + 7) / 8 * 8) {
  if (exact) digits_ = Buffer(device_, 2 * sizeof(ExactSum)); // the second one is the spill of GPU kernels
}

void ReductionCore::reserve(long blocks) {
  if (blocks <= blocks_) return;
  constexpr long kWarps = kBlock / 32, kFolders = kBlock; // per block; the most folding blocks
  // Enqueued or recorded work still uses the previous buffer.
  if (partials_.data()) outgrown_.push_back(std::move(partials_));
  const std::size_t bytes = exact_ ? static_cast<std::size_t>(blocks * kWarps) * 2 * sizeof(double)
                                   : static_cast<std::size_t>(blocks * kWarps + kFolders) * value_bytes_;
  partials_ = Buffer(device_, bytes);
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

namespace {

// The digits of exact sums are simply added, those of all sums in one reduction.
void add_digits_of_all(World& world, std::vector<std::vector<char>*>& sums) {
  if (sums.empty()) return;
  std::vector<long long> digits;
  for (const std::vector<char>* sum : sums) {
    ExactSum part;
    std::memcpy(part.digit, sum->data(), sizeof part);
    exact_carry(part.digit);
    digits.insert(digits.end(), part.digit, part.digit + ExactSum::kSize);
  }
  digits = reduce_sum(world, std::move(digits));
  for (std::size_t k = 0; k < sums.size(); ++k)
    std::memcpy(sums[k]->data(), &digits[k * ExactSum::kSize], sizeof(ExactSum));
}

} // namespace

std::vector<std::vector<char>> parts_of_all(World& world, const std::vector<ReductionCore*>& reductions) {
  if (!reductions.empty()) expect_alike(world, *reductions.front());
  std::vector<std::vector<char>> parts(reductions.size());
  for (std::size_t k = 0; k < reductions.size(); ++k) {
    reductions[k]->need_ready();
    parts[k].resize(static_cast<std::size_t>(reductions[k]->part_bytes()));
    reductions[k]->write_part(parts[k].data());
  }
  return merged_parts(world, reductions, std::move(parts));
}

std::vector<std::vector<char>> merged_parts(World& world, const std::vector<ReductionCore*>& reductions,
                                            std::vector<std::vector<char>> parts) {
  if (world.size() == 1) return parts;
  std::vector<std::vector<char>*> exact;
  for (std::size_t k = 0; k < reductions.size(); ++k) {
    if (reductions[k]->exact())
      exact.push_back(&parts[k]);
    else if (reductions[k]->merge())
      parts[k] = reduce_by(world, reductions[k]->merge(), std::move(parts[k]));
    else
      parts[k] = gather_rows(world, parts[k]);
  }
  add_digits_of_all(world, exact);
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

} // namespace tasuki::detail
