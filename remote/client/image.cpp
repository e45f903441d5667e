#include <remote/client/image.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tasuki::remote {

namespace {

constexpr std::size_t grain = 64u << 10;                // in which zeros are left out
constexpr u64 first_number = own_number + (1ull << 61); // of the calls by which an image is played

bool all_zero(View bytes) {
  const auto* at = static_cast<const unsigned char*>(bytes.data);
  return bytes.size == 0 || (at[0] == 0 && std::memcmp(at, at + 1, bytes.size - 1) == 0);
}

template <class Call>
void send(Link& link, u64 number, const Call& call, View tail = {}) {
  std::vector<unsigned char> out;
  frame(number, Call::answered, call, tail.size, out);
  const remote::Piece pieces[] = {{out.data(), out.size()}, {tail.data, tail.size}};
  link.write(pieces, tail.size ? 2 : 1);
}

} // namespace

void Image::add(u64 address, View bytes, bool zeros_too) {
  const auto* from = static_cast<const unsigned char*>(bytes.data);
  for (std::size_t done = 0; done < bytes.size; done += grain) {
    const View here{from + done, std::min(grain, bytes.size - done)};
    if (!zeros_too && all_zero(here)) continue;
    const u64 at = storage_->add(here);
    const bool next = !parts_.empty() && parts_.back().address + parts_.back().bytes == address + done &&
                      parts_.back().bytes + here.size <= tail_limit;
    if (next)
      parts_.back().bytes += here.size;
    else
      parts_.push_back({address + done, at, here.size});
  }
}

bool Image::play(Held& held, Worker& worker, std::condition_variable& changed, const bool& over) const {
  Link& link = *worker.place.visit.link;
  const auto answered = [&](u64 number) {
    changed.wait(held, [&] { return over || !worker.usable() || worker.own.count(number); });
    return !over && worker.usable();
  };
  const u64 last = first_number + variables_.size();
  held.unlock();
  bool sent = true;
  try {
    u64 number = first_number;
    for (const Variable& v : variables_) send(link, number++, call::FindVariable{v.module, v.name});
    std::vector<unsigned char> bytes;
    for (const Part& part : parts_) {
      bytes.resize(part.bytes);
      try {
        storage_->read(part.at, bytes.data(), bytes.size());
      } catch (const LinkLost& lost) {
        std::fprintf(stderr, "tasuki: an image of a device is lost: %s\n", lost.what());
        throw;
      }
      send(link, last + 1, call::CopyIn{part.address, 0}, {bytes.data(), bytes.size()});
    }
    send(link, last, call::WaitDevice{}); // streams that do not wait for the default one come next
  } catch (const LinkLost&) {
    sent = false;
  }
  held.lock();
  if (!sent || !answered(last)) return false;
  u64 number = first_number;
  for (const Variable& v : variables_) {
    if (!answered(number)) return false;
    const auto there = message_of<answer::Variable>(worker.own[number++].body);
    if (there.address != v.place.address || there.bytes != v.place.bytes) return false;
  }
  worker.own.clear();
  return true;
}

} // namespace tasuki::remote
