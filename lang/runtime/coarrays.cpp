// Coarrays: memory of every image that other images read and write (one-sided access), and locks in it.
#include "mail.hpp"
#include "objects.hpp"
#include "sections.hpp"
#include "xmp.h"

#include <tasuki/base/reduce.hpp>
#include <tasuki/transfer/ask.hpp>

#include <algorithm>
#include <cstring>
#include <set>

namespace tasuki::xmp {
namespace {

struct CoarrayObject {
  std::string name, where;
  std::vector<int> members; // the ranks of its images, in order
  std::vector<long> coextents;
  Ranks ranks;
  Loan loan;
  bool set = false;               // it has been initialised
  std::set<std::uint64_t> locked; // the locks that this image holds, by image and place

  CoarrayObject(const char* place, const char* called, std::vector<int> images, const Ranks& of, long bytes)
      : name(called),
        where(place),
        members(std::move(images)),
        ranks(of),
        loan(of, called, static_cast<std::uint64_t>(bytes)) {}

  // The index, in the loan, of the rank with these coindices; the first coindex varies fastest.
  int place_of(const long* coindices) const {
    if (const auto rank = numbered(coindices[0])) {
      const auto place = ranks.place_of(*rank);
      if (!place)
        throw Error("rank " + std::to_string(*rank) + " is no image of coarray '" + name + "'",
                    "let `image` name nodes that have it");
      return *place;
    }
    long image = 0, times = 1;
    for (std::size_t k = 0; k < coextents.size(); ++k) {
      const bool is_last = k + 1 == coextents.size();
      if (coindices[k] < 0 || (!is_last && coindices[k] >= coextents[k]))
        throw Error("coarray '" + name + "' has no image with coindex " + std::to_string(coindices[k]),
                    "name one that there is, counted from 0");
      image += coindices[k] * times;
      times *= is_last ? 1 : coextents[k];
    }
    if (image >= static_cast<long>(members.size()))
      throw Error("coarray '" + name + "' has no image " + std::to_string(image) + " of " +
                      std::to_string(members.size()) + ", counted from 0",
                  "name one that there is");
    return *ranks.place_of(members[static_cast<std::size_t>(image)]);
  }
};

CoarrayObject& coarray_of(const tsk_coarray* c) {
  if (!c || !c->of)
    throw Error("a coarray is used by a rank that is none of its images", "let its images alone use it");
  return *static_cast<CoarrayObject*>(c->of);
}

// Requests a section of another image row by row; `dense` holds its elements contiguously.
template <class Ask>
void each_errand(const tsk_section& there, char* dense, const Ask& ask) {
  const long count = row_count(there), step = row_step(there), size = there.size;
  each_row(there, [&](const Place& first) {
    const auto offset = static_cast<std::uint64_t>(offset_in(there, first));
    if (step == 1) {
      ask(ByteRows{offset, static_cast<std::uint64_t>(count * size), 1, 0}, dense);
    } else if (step > 1) {
      ask(ByteRows{offset, static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(count),
                   static_cast<std::uint64_t>(step * size)},
          dense);
    } else {
      for (long k = 0; k < count; ++k)
        ask(ByteRows{offset + static_cast<std::uint64_t>(k * step * size), static_cast<std::uint64_t>(size),
                     1, 0},
            dense + k * size);
    }
    dense += count * size;
  });
}

void expect_as_many(long to, long from, const std::string& name) {
  if (from != 1 && to != from)
    throw Error(std::to_string(from) + " elements are assigned to " + std::to_string(to) + " of coarray '" +
                    name + "'",
                "give both sections one shape");
}

std::uint64_t lock_offset(const tsk_section& lock) {
  Place index;
  for (int d = 0; d < lock.dims; ++d) index.push_back(lock.slice[d].first);
  return static_cast<std::uint64_t>(offset_in(lock, index));
}

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_coarray_make(const char* where, tsk_coarray* c, const char* name, long bytes, int codims,
                      const long* coextents, const tsk_nodes* on) {
  if (c->of) return;
  at(where, [&] {
    tsk_ref ref{};
    ref.nodes = on;
    const auto ranks = ranks_of(on ? &ref : nullptr);
    if (!ranks) return;
    auto object =
        std::make_unique<CoarrayObject>(where, name, members_of(on ? &ref : nullptr), *ranks, bytes);
    object->coextents.assign(coextents, coextents + codims);
    c->at = object->loan.data();
    c->bytes = bytes;
    c->of = object.release();
  });
}

void tsk_coarray_end(tsk_coarray* c) {
  auto* const object = static_cast<CoarrayObject*>(c->of);
  if (!object) return;
  at(object->where.c_str(), [&] {
    if (!object->locked.empty())
      throw Error("coarray '" + object->name + "' ends while this image holds a lock of it",
                  "unlock it before");
  });
  delete object;
  c->of = nullptr;
}

void tsk_coarray_set(const char* where, tsk_coarray* c, const void* value) {
  auto* const object = static_cast<CoarrayObject*>(c->of);
  if (!object || object->set) return;
  at(where, [&] {
    std::memcpy(c->at, value, static_cast<std::size_t>(c->bytes));
    object->set = true;
    barrier(object->ranks, "the other images to set a coarray");
  });
}

void tsk_get(const char* where, const tsk_section* to, const tsk_section* from, const long* coindices) {
  at(where, [&] {
    CoarrayObject& object = coarray_of(from->coarray);
    const int place = object.place_of(coindices);
    const long count = elements_of(*from), size = from->size;
    expect_as_many(elements_of(*to), count, object.name);
    std::vector<char> dense(static_cast<std::size_t>(count * size));
    std::vector<Ticket> tickets;
    each_errand(*from, dense.data(), [&](const ByteRows& rows, char* here) {
      tickets.push_back(object.loan.get(place, rows, here));
    });
    for (Ticket& ticket : tickets) ticket.wait();
    const char* next = dense.data();
    each_element(*to, [&](char* element) {
      std::memcpy(element, next, static_cast<std::size_t>(size));
      if (count > 1) next += size;
    });
  });
}

void tsk_put(const char* where, const tsk_section* to, const long* coindices, const tsk_section* from) {
  at(where, [&] {
    CoarrayObject& object = coarray_of(to->coarray);
    const int place = object.place_of(coindices);
    const long count = elements_of(*to), size = to->size;
    expect_as_many(count, elements_of(*from), object.name);
    std::vector<char> dense(static_cast<std::size_t>(count * size));
    char* next = dense.data();
    each_element(*from, [&](const char* element) {
      std::memcpy(next, element, static_cast<std::size_t>(size));
      next += size;
    });
    if (elements_of(*from) == 1)
      for (long k = 1; k < count; ++k)
        std::memcpy(dense.data() + k * size, dense.data(), static_cast<std::size_t>(size));
    std::vector<Ticket> tickets;
    each_errand(*to, dense.data(), [&](const ByteRows& rows, char* here) {
      tickets.push_back(object.loan.put(place, rows, here));
    });
    for (Ticket& ticket : tickets) ticket.wait();
  });
}

void tsk_lock(const char* where, const tsk_section* lock, const long* coindices) {
  at(where, [&] {
    CoarrayObject& object = coarray_of(lock->coarray);
    const int place = object.place_of(coindices);
    const std::uint64_t offset = lock_offset(*lock),
                        key = offset * object.members.size() + static_cast<std::uint64_t>(place);
    World& world = object.ranks.world();
    const long mine = world.rank() + 1;
    if (object.locked.count(key))
      throw Error("this image holds the lock of '" + object.name + "' already",
                  "unlock it before it is locked again");
    world.wait_until([&] { return object.loan.compare_and_swap(place, offset, 0L, mine).value() == 0; },
                     "a lock that another image holds");
    object.locked.insert(key);
  });
}

void tsk_unlock(const char* where, const tsk_section* lock, const long* coindices) {
  at(where, [&] {
    CoarrayObject& object = coarray_of(lock->coarray);
    const int place = object.place_of(coindices);
    const std::uint64_t offset = lock_offset(*lock),
                        key = offset * object.members.size() + static_cast<std::uint64_t>(place);
    if (!object.locked.erase(key))
      throw Error("this image does not hold the lock of '" + object.name + "'",
                  "lock it before it is unlocked");
    object.loan.compare_and_swap(place, offset, object.ranks.world().rank() + 1L, 0L).wait();
  });
}
}
