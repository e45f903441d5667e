#include <tasuki/channel/mpi.hpp>

#include <tasuki/base/mpi_info.hpp>
#include <tasuki/device/host_reach.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr long kWord = 8;          // bytes of a unit of message length, so that an int can count up to 16 GiB
constexpr long kLine = 256;        // bytes; the alignment of pieces and flags
constexpr long kPiece = 16 * 1024; // bytes; a lane gets at least as much
constexpr int kTags = 32768;       // the number of tags that every MPI has
constexpr Flag kAhead = 16; // the most turns of the host ahead of the messages: a GPU's queue is finite, and
                            // a thread that waits in it may hold a lock that MPI needs to copy device memory

long padded(long bytes) { return (bytes + kLine - 1) / kLine * kLine; }

long bytes_of(const Message& message) {
  long bytes = 0;
  for (const MessagePart& part : message.parts) bytes += part.packed_bytes();
  return bytes;
}

long bytes_of(const std::vector<Message>& messages) {
  long bytes = 0;
  for (const auto& message : messages) bytes += padded(bytes_of(message));
  return bytes;
}

bool gives_to_mpi(const Device& device) { return device.cuda() && gpu_aware_mpi(); }

Buffer room_for(Device& device, const std::vector<Message>& messages, int sides, bool direct) {
  const long bytes = bytes_of(messages) * sides;
  if (bytes == 0) return {};
  return Buffer(device, static_cast<std::size_t>(bytes), direct ? Memory::device : Memory::pinned);
}

// Calls visit(strided part, its packed form) for every part of the messages, which are stored consecutively from `at`.
template <class Visit>
void each_part(const std::vector<Message>& messages, char* at, const Visit& visit) {
  for (const auto& message : messages) {
    char* place = at;
    for (const MessagePart& part : message.parts) {
      visit(part.here, packed(part.here, place));
      place += part.packed_bytes();
    }
    at += padded(bytes_of(message));
  }
}

// Calls visit(message number, lane, rank, address, words) for every piece of the messages.
template <class Visit>
void each_piece(const std::vector<Message>& messages, char* at, int lanes, const Visit& visit) {
  for (int number = 0; number < static_cast<int>(messages.size()); ++number) {
    const long words = (bytes_of(messages[number]) + kWord - 1) / kWord;
    const long pieces = std::clamp(words * kWord / kPiece, 1L, static_cast<long>(lanes));
    const long most = padded((words + pieces - 1) / pieces * kWord) / kWord;
    for (long first = 0, lane = 0; first < words; first += most, ++lane)
      visit(number, static_cast<int>(lane), messages[number].rank, at + first * kWord,
            static_cast<int>(std::min(most, words - first)));
    at += padded(words * kWord);
  }
}

} // namespace

std::unique_ptr<Channel> make_mpi(Device& device, ChannelSetup setup) {
  return std::make_unique<MpiChannel>(device, setup);
}

MpiChannel::MpiChannel(Device& device, const ChannelSetup& setup)
    : device_(device),
      courier_(reaches_host(device) ? Courier::of(device) : nullptr), // the flags are in host memory
      stages_(!reaches_host(device) && !gives_to_mpi(device)),
      packing_(device.kind()) {
  const std::vector<Message>&outgoing = setup.outgoing, &incoming = setup.incoming;
  const Ranks among = setup.among.value_or(device.world());
  const MPI_Comm comm = among.comm();
  const int lanes = device.world().settings().lanes, threads = courier_ ? courier_->threads() : 1;
  // Double-buffered with a courier: the receives of a turn are posted before the neighbour can send it, and no rank
  // waits until its neighbour has received.
  const int sides = courier_ ? 2 : 1;
  const bool direct = stages_ || gives_to_mpi(device);
  send_buffer_ = room_for(device, outgoing, sides, direct);
  receive_buffer_ = room_for(device, incoming, sides, direct);
  if (stages_) {
    send_staging_ = room_for(device, outgoing, sides, false);
    receive_staging_ = room_for(device, incoming, sides, false);
  }
  const Buffer &sent = stages_ ? send_staging_ : send_buffer_,
               &received = stages_ ? receive_staging_ : receive_buffer_;
  std::vector<Haul> hauls(threads);
  for (int s = 0; s < sides; ++s) {
    char* const out = send_buffer_.data() + s * bytes_of(outgoing);
    char* const in = receive_buffer_.data() + s * bytes_of(incoming);
    std::vector<CopyPair> pack, unpack;
    each_part(outgoing, out, [&](const Strided& cells, const Strided& dense) {
      pack.push_back({cells, dense});
    });
    each_part(incoming, in, [&](const Strided& cells, const Strided& dense) {
      unpack.push_back({dense, cells});
    });
    sides_.push_back({CopyPlan(device, std::move(pack)), CopyPlan(device, std::move(unpack))});

    // Concurrent pieces may overtake each other, so each lane has its own tag.
    const auto tag_of = [&](int lane) { return setup.tag % (kTags / lanes) * lanes + lane; };
    const auto side_of = [&](int number) -> Haul::Side& {
      auto& of_thread = hauls[number % threads].sides;
      of_thread.resize(s + 1);
      return of_thread.back();
    };
    each_piece(outgoing, sent.data() + s * bytes_of(outgoing), lanes,
               [&](int number, int lane, int rank, char* at, int words) {
                 side_of(number + lane).sends.add_send(at, words, *among.place_of(rank), tag_of(lane), comm);
               });
    each_piece(
        incoming, received.data() + s * bytes_of(incoming), lanes,
        [&](int number, int lane, int rank, char* at, int words) {
          side_of(number + lane).receives.add_receive(at, words, *among.place_of(rank), tag_of(lane), comm);
        });
  }
  if (!courier_) {
    if (!hauls.front().sides.empty()) own_ = std::move(hauls.front().sides.front());
    return;
  }
  flags_ = Buffer(device, static_cast<std::size_t>((1 + threads) * kLine), Memory::pinned);
  packed_ = {reinterpret_cast<Flag*>(flags_.data())};
  for (int t = 0; t < threads; ++t) {
    if (hauls[t].sides.empty()) continue;
    hauls[t].packed = packed_.front();
    hauls[t].arrived = reinterpret_cast<Flag*>(flags_.data() + (1 + t) * kLine);
    arrived_.push_back({hauls[t].arrived, -1});
    deliveries_.push_back(std::make_unique<Delivery>(courier_, t, std::move(hauls[t])));
  }
}

void MpiChannel::send() {
  own_.sends.start();
  sent_ = true;
}

void MpiChannel::wait_for_messages() {
  if (!sent_) {
    packing_.synchronize();
    if (stages_) copy_to_host(device_, send_staging_.data(), send_buffer_.data(), send_buffer_.bytes());
    send();
  }
  device_.world().wait_until([&] { return own_.receives.done(); }, "a message from a neighbour");
  device_.world().wait_until([&] { return own_.sends.done(); }, "a neighbour to take a message");
}

void MpiChannel::hold_back() {
  if (!device_.cuda()) return;
  for (const auto& delivery : deliveries_)
    device_.world().wait_until([&] { return turn_ - delivery->arrived() <= kAhead; },
                               "a message from a neighbour");
}

void MpiChannel::start(Stream& stream, bool) {
  const Side& side = sides_[turn_++ % sides_.size()];
  if (courier_) {
    hold_back();
    for (auto& delivery : deliveries_) delivery->announce(turn_);
    side.pack.enqueue(stream);
    raise(stream, packed_, turn_);
    return;
  }
  own_.receives.start();
  side.pack.enqueue(stream);
  packing_.record(stream);
  sent_ = false;
  if (!stages_ && packing_.reached()) send();
}

void MpiChannel::finish(Stream& stream) {
  if (courier_)
    await(device_, stream, arrived_, turn_, "a message from a neighbour");
  else
    wait_for_messages();
  if (stages_)
    copy_to_device(device_, receive_buffer_.data(), receive_staging_.data(), receive_buffer_.bytes());
  sides_[(turn_ - 1) % sides_.size()].unpack.enqueue(stream);
}

} // namespace tasuki
