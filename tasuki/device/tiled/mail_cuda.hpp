// The mail of a tile (tiled.hpp): sends its rim, receives its halo.
#pragma once

#include <tasuki/device/signal/mail_word.hpp>
#include <tasuki/device/signal/watch_device.hpp>
#include <tasuki/device/tiled/tiled.hpp>

namespace tasuki {
namespace detail {

// Waits for the number in a word of the mail, which the caller has loaded once. If the run is aborted, returns the word
// as it is.
__device__ __forceinline__ unsigned await_word(unsigned long long word, const char* from, unsigned turn,
                                               const TiledLaunch& l, int take, bool& come) {
  if (static_cast<unsigned>(word >> 32) == turn) return static_cast<unsigned>(word);
  for (cuda::Patience patience(l.watch); come;) {
    word = load_word(from);
    if (static_cast<unsigned>(word >> 32) == turn) break;
    come = patience.lasts(l.take_rank[take]);
  }
  return static_cast<unsigned>(word);
}

// The mail of a tile, for numbers of Bytes bytes. A thread handles a few cells at once, so that their words overlap.
template <int Bytes>
struct Post {
  static constexpr int kAtOnce = 4, kWords = Bytes / 4;
  int put_from, put_to, take_from, take_to; // of this thread; the next at + blockDim.x

  __device__ Post(const TiledLaunch& l) {
    const int t = static_cast<int>(blockIdx.x), me = static_cast<int>(threadIdx.x);
    put_from = l.put_from[t] + me;
    put_to = l.put_from[t + 1];
    take_from = l.take_from[t] + me;
    take_to = l.take_from[t + 1];
  }

  // Stores the rim cells of a slot into the mail.
  __device__ __forceinline__ void put_all(const TiledLaunch& l, const TiledSlot& slot, const char* smem,
                                          const TiledMailbox* boxes, int mail, unsigned turn) const {
    const int threads = static_cast<int>(blockDim.x);
#pragma unroll 1
    for (int first = put_from; first < put_to; first += kAtOnce * threads) {
      int4 put[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        put[k] = __ldg(reinterpret_cast<const int4*>(l.puts) + min(first + k * threads, put_to - 1));
#pragma unroll 1
      for (int c = 0; c < slot.components; ++c)
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (first + k * threads >= put_to) break;
          const TiledMailbox& box = boxes[put[k].z];
          char* const to = box.mail[turn & 1u][mail] + (put[k].y + c * box.plane) * (2 * Bytes);
          const auto* from =
              reinterpret_cast<const unsigned*>(smem + slot.offset + (put[k].x + c * l.near_plane) * Bytes);
#pragma unroll
          for (int w = 0; w < kWords; ++w) store_word(to + 8 * w, word_of(from[w], turn));
        }
    }
  }

  // Reads the halo from this rank's mail. False, in this thread, if the run is aborted.
  __device__ __forceinline__ bool take_all(const TiledLaunch& l, const TiledSlot& slot, char* smem,
                                           const TiledMailbox* boxes, int mail, unsigned turn) const {
    const int threads = static_cast<int>(blockDim.x);
    bool come = true;
#pragma unroll 1
    for (int first = take_from; first < take_to && come; first += kAtOnce * threads) {
      int2 take[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        take[k] = __ldg(reinterpret_cast<const int2*>(l.takes) + min(first + k * threads, take_to - 1));
#pragma unroll 1
      for (int c = 0; c < slot.components; ++c) {
        const char* const box = boxes[0].mail[turn & 1u][mail] + c * boxes[0].plane * (2 * Bytes);
        unsigned long long word[kAtOnce][kWords];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
          for (int w = 0; w < kWords; ++w) word[k][w] = load_word(box + take[k].y * (2l * Bytes) + 8 * w);
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const int number = first + k * threads;
          if (number >= take_to) break;
          auto* to = reinterpret_cast<unsigned*>(smem + slot.offset + (take[k].x + c * l.near_plane) * Bytes);
#pragma unroll
          for (int w = 0; w < kWords; ++w)
            to[w] = await_word(word[k][w], box + take[k].y * (2l * Bytes) + 8 * w, turn, l, number, come);
        }
      }
    }
    return come;
  }
};

} // namespace detail
} // namespace tasuki
