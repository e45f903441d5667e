#include <apps/argon/engine/apart.hpp>

#include <algorithm>

namespace tasuki::argon {

Apart::Apart(Device& device, const System& system, const Dynamics& dynamics,
             const std::vector<std::uint32_t>& numbers)
    : device_(device),
      n_(system.atoms()),
      count_(static_cast<long>(numbers.size())),
      row_((n_ + 31) / 32 * 32),
      place_(device, cells() * 3 * sizeof(std::int64_t)),
      velocity_(device, cells() * 3 * sizeof(float)),
      own_(device, cells() * sizeof(double)),
      small_(device, numbers),
      engine_(make_engine(device, system, dynamics, count_)),
      laws_(laws_of(system, dynamics, choose_engine(system, dynamics, device.cuda()))) {}

void Apart::put(const std::vector<State>& states) {
  std::vector<std::int64_t> place(cells() * 3);
  std::vector<float> velocity(cells() * 3);
  std::vector<double> own(cells());
  each_row(states, [&](long row, const StateParts& p) {
    for (int axis = 0; axis < 3; ++axis) {
      std::copy_n(p.place + axis * n_, n_, place.begin() + at(axis, row));
      std::copy_n(p.velocity + axis * n_, n_, velocity.begin() + at(axis, row));
    }
    std::copy_n(p.own, OwnNumbers::kCount, own.begin() + row * row_);
  });
  copy_to_device(device_, place_.data(), place.data(), place_.bytes());
  copy_to_device(device_, velocity_.data(), velocity.data(), velocity_.bytes());
  copy_to_device(device_, own_.data(), own.data(), own_.bytes());
}

void Apart::take(std::vector<State>& states) const {
  std::vector<std::int64_t> place(cells() * 3);
  std::vector<float> velocity(cells() * 3);
  std::vector<double> own(cells());
  copy_to_host(device_, place.data(), place_.data(), place_.bytes());
  copy_to_host(device_, velocity.data(), velocity_.data(), velocity_.bytes());
  copy_to_host(device_, own.data(), own_.data(), own_.bytes());
  each_row(states, [&](long row, const StateParts& p) {
    for (int axis = 0; axis < 3; ++axis) {
      std::copy_n(place.begin() + at(axis, row), n_, p.place + axis * n_);
      std::copy_n(velocity.begin() + at(axis, row), n_, p.velocity + axis * n_);
    }
    std::copy_n(own.begin() + row * row_, OwnNumbers::kCount, p.own);
  });
}

void Apart::advance(const std::vector<Conditions>& conditions, const std::vector<float>& factors,
                    long first_step, int steps, int frozen) {
  copy_to_device(device_, small_.conditions.data(), conditions.data(), small_.conditions.bytes());
  if (!factors.empty())
    copy_to_device(device_, small_.factors.data(), factors.data(), small_.factors.bytes());
  Batch b{};
  b.place = reinterpret_cast<std::int64_t*>(place_.data());
  b.velocity = reinterpret_cast<float*>(velocity_.data());
  b.own = reinterpret_cast<double*>(own_.data());
  b.row = row_;
  b.plane = static_cast<long>(cells());
  small_.put_in(b);
  laws_.first_step = static_cast<std::uint64_t>(first_step);
  laws_.steps = steps;
  laws_.frozen = frozen;
  laws_.factors = !factors.empty();
  engine_->advance(b, laws_, count_);
}

void Apart::measured(std::vector<Measured>& to) const {
  to.resize(static_cast<std::size_t>(count_));
  copy_to_host(device_, to.data(), small_.measured.data(), small_.measured.bytes());
}

} // namespace tasuki::argon
