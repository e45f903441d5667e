// Groups on the host: a thread per item; its lanes are vector lanes.
#pragma once

#include <tasuki/base/error.hpp>
#include <tasuki/base/macros.hpp>
#include <tasuki/device/group/group_shape.hpp>

#include <omp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::detail {

// Memory of a host thread's group: allocations have the same order for every item, and are reused for the next item.
class HostArena {
public:
  void rewind() { next_ = 0; }
  char* take(std::size_t bytes) {
    if (next_ == blocks_.size()) blocks_.emplace_back();
    Block& block = blocks_[next_++];
    if (block.bytes < bytes) {
      block.memory.reset(static_cast<char*>(::operator new(bytes, kAlign)));
      block.bytes = bytes;
    }
    return block.memory.get();
  }

private:
  static constexpr std::align_val_t kAlign{64};
  struct Free {
    void operator()(char* p) const { ::operator delete(p, kAlign); }
  };
  struct Block {
    std::unique_ptr<char, Free> memory;
    std::size_t bytes = 0;
  };
  std::vector<Block> blocks_;
  std::size_t next_ = 0;
};

class HostGroup {
public:
  static constexpr int kChunk = 16; // lanes computed together: a vector of 512 bits, or two of 256
  // The marks that a list stores together: one, since a vector reads the same mark of many lanes.
  struct Marks {
    static constexpr int kCount = 1;
    std::uint32_t word;
    TS_HD std::uint32_t operator[](int) const { return word; }
    TS_HD void push(std::uint32_t mark) { word = mark; }
  };
  using Index = std::uint32_t; // of a list: the width that gather instructions use
  template <class T>
  class Own {
  public:
    explicit Own(T* values) : values_(values) {}
    TS_HD T& operator[](int slot) const { return values_[slot]; }
    TS_HD T& operator()(int, int slot) const { return values_[slot]; }

  private:
    T* values_;
  };

  // Elements of K words stored word by word (structure of arrays), since a vector reads the same word of many elements.
  template <int K>
  class Words {
  public:
    TS_HD Words(std::uint32_t* words, int count) : words_(words), count_(count) {}
    TS_HD Element<K> operator[](int i) const { // no loop: it would prevent vectorisation over lanes
      if constexpr (K == 2)
        return {words_[i], words_[count_ + i]};
      else
        return {words_[i], words_[count_ + i], words_[2 * count_ + i], words_[3 * count_ + i]};
    }
    TS_HD void put(int i, const Element<K>& e) const {
      words_[i] = e.word[0];
      words_[count_ + i] = e.word[1];
      if constexpr (K == 4) {
        words_[2 * count_ + i] = e.word[2];
        words_[3 * count_ + i] = e.word[3];
      }
    }
    // The mark of element i in a list, and the element that has a mark.
    TS_HD static std::uint32_t mark(int i) { return static_cast<std::uint32_t>(i); }
    TS_HD Element<K> at(std::uint32_t mark) const { return (*this)[static_cast<int>(mark)]; }

  private:
    std::uint32_t* words_;
    int count_;
  };

  HostGroup(const GroupShape& shape, HostArena& arena) : shape_(shape), arena_(arena) {
    arena_.rewind();
    scratch_ = arena_.take(std::max<std::size_t>(shape.scratch, 1));
  }

  TS_HD int lanes() const { return shape_.lanes; }
  TS_HD int chunks() const { return (lanes() + kChunk - 1) / kChunk; }
  TS_HD char* scratch() const { return scratch_; }

  template <class T>
  TS_HD T* shared(int count) {
    return reinterpret_cast<T*>(take_shared(static_cast<std::size_t>(count) * sizeof(T)));
  }
  template <class T>
  TS_HD Own<T> own() {
    return Own<T>(reinterpret_cast<T*>(take(static_cast<std::size_t>(chunks() * kChunk) * sizeof(T))));
  }

  template <class T>
  using Kept = Own<T>;
  template <class T>
  TS_HD Own<T> kept() {
    return own<T>();
  }

  template <int K>
  TS_HD Words<K> words(int count) {
    return Words<K>(shared<std::uint32_t>(K * count), count);
  }

  template <class F>
  TS_HD void each(const F& f) {
    const int n = lanes();
#pragma omp simd
    for (int i = 0; i < n; ++i) f(i, i);
  }
  template <class F>
  TS_HD void each_of(int count, const F& f) {
    for (int i = 0; i < count; ++i) f(i);
  }
  template <class F>
  TS_HD void once(const F& f) {
    f();
  }
  template <class F>
  TS_HD bool any(const F& f) {
    const int n = lanes();
    int found = 0;
#pragma omp simd reduction(| : found)
    for (int i = 0; i < n; ++i) found |= static_cast<int>(f(i, i));
    return found != 0;
  }
  template <class F>
  TS_HD double sum(const F& f) {
    double total = 0;
    for (int i = 0; i < lanes(); ++i) total += static_cast<double>(f(i, i));
    return total;
  }

  // For every lane: state = begin(i, slot), add(state, k, i) for k < trips, end(i, slot, state); k is the same in all
  // lanes, trips is 1 or more. Idle lanes of the last chunk repeat the last lane, without end(). begin() and add()
  // should capture their variables by value.
  template <class Begin, class Add, class End>
  TS_HD void accumulate(int trips, const Begin& begin, const Add& add, const End& end) {
    const int n = lanes();
    for (int base = 0; base < n; base += kChunk)
      if (n - base >= kChunk)
        walk<true>(base, n - 1, trips, begin, add, end);
      else
        walk<false>(base, n - 1, trips, begin, add, end);
  }
  // Like accumulate(), but trips differ by chunk, and add(i, slot, k, load(i, k)) gets data from other lanes' memory.
  // begin(i, slot) and add() keep sums in own values. add() must not change anything that load() reads.
  template <class Trips, class Begin, class Load, class Add, class End>
  TS_HD void gather(const Trips& trips, const Begin& begin, const Load& load, const Add& add,
                    const End& end) {
    for (int chunk = 0; chunk < chunks(); ++chunk) {
      const int base = chunk * kChunk, busy = lanes() - base < kChunk ? lanes() - base : kChunk;
      if (busy == kChunk)
        gather_chunk(base, kChunk, trips(chunk), begin, load, add, end);
      else
        gather_chunk(base, busy, trips(chunk), begin, load, add, end);
    }
  }

  template <class Keep, class Take, class Done>
  TS_HD void filter(int count, const Keep& keep, const Take& take, const Done& done) {
    for (int chunk = 0; chunk < chunks(); ++chunk) {
      int found = 0;
      for (int base = 0; base < count; base += kChunk) {
        int kept[kChunk];
        const int any = look(chunk, base, count, kept, keep);
        if (any == 0) continue;
        for (int lane = 0; lane < kChunk; ++lane)
          if (kept[lane]) take(chunk, found++, base + lane);
      }
      done(chunk, found);
    }
  }

private:
  // A separate function with its own copies of captured variables: the compiler then sees a loop over lanes around a
  // loop over neighbours without aliasing, and vectorises over the lanes.
  template <bool Full, class Begin, class Add, class End>
  __attribute__((noinline, flatten)) static void walk(int base, int last, int count, const Begin begin,
                                                      const Add add, const End end) {
#pragma omp simd
    for (int lane = 0; lane < kChunk; ++lane) {
      walk_one<Full>(base + lane, last, count, begin, add, end);
    }
  }
  template <bool Full, class Begin, class Add, class End>
  TS_HD static void walk_one(int lane, int last, int count, const Begin& begin, const Add& add,
                             const End& end) {
    const int i = Full || lane < last ? lane : last;
    auto state = begin(i, i);
    int k = 0;
    do add(state, k, i); // no branch around the loop, which would prevent vectorisation
    while (++k < count);
    if (Full || lane <= last) end(i, i, state);
  }

  template <class Begin, class Load, class Add, class End>
  __attribute__((noinline, flatten)) static void gather_chunk(int base, int busy, int count,
                                                              const Begin begin, const Load load,
                                                              const Add add, const End end) {
#pragma omp simd
    for (int lane = 0; lane < busy; ++lane) begin(base + lane, base + lane);
    for (int k = 0; k < count; ++k) {
#pragma omp simd
      for (int lane = 0; lane < busy; ++lane) add(base + lane, base + lane, k, load(base + lane, k));
    }
#pragma omp simd
    for (int lane = 0; lane < busy; ++lane) end(base + lane, base + lane);
  }
  template <class Keep>
  __attribute__((noinline, flatten)) static int look(int chunk, int base, int count, int* kept,
                                                     const Keep keep) {
    int any = 0;
#pragma omp simd reduction(| : any)
    for (int lane = 0; lane < kChunk; ++lane) {
      const int k = base + lane < count ? base + lane : count - 1;
      kept[lane] = keep(chunk, k) && base + lane < count ? 1 : 0;
      any |= kept[lane];
    }
    return any;
  }

  // nvcc compiles everything that a body calls for both host and GPU; this is never called on a GPU.
  TS_HD char* take([[maybe_unused]] std::size_t bytes) {
#if defined(__CUDA_ARCH__)
    return nullptr;
#else
    return arena_.take(bytes);
#endif
  }
  TS_HD char* take_shared(std::size_t bytes) {
#if !defined(__CUDA_ARCH__)
    used_ += (bytes + 15) / 16 * 16;
    if (used_ > shape_.shared)
      throw Error("a group takes " + std::to_string(used_) + " bytes of shared memory of " +
                      std::to_string(shape_.shared),
                  "let its shape say what its body takes");
#endif
    return take(bytes);
  }

  GroupShape shape_;
  HostArena& arena_;
  char* scratch_ = nullptr;
  std::size_t used_ = 0;
};

template <class Body>
__attribute__((noinline, flatten)) void run_host_group(HostGroup& group, long item, const Body& body) {
  body(group, item);
}

template <class Body>
void launch_groups_host(const GroupShape& shape, std::vector<HostArena>& arenas, long items,
                        const Body& body) {
  const int threads = static_cast<int>(std::min<long>(omp_get_max_threads(), items));
  if (arenas.size() < static_cast<std::size_t>(threads)) arenas.resize(static_cast<std::size_t>(threads));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (long item = 0; item < items; ++item) {
    HostGroup group(shape, arenas[static_cast<std::size_t>(omp_get_thread_num())]);
    run_host_group(group, item, body);
  }
}

} // namespace tasuki::detail
