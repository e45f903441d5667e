#include <tasuki/channel/mpi.hpp>

#include <tasuki/base/mpi_info.hpp>

namespace tasuki {
namespace {

constexpr long kUnit = 8; // messages are counted in these, so that an int counts 16 GiB

long padded(long bytes) { return (bytes + 255) / 256 * 256; }

long bytes_of(const MpiChannel::Message& message) {
  long bytes = 0;
  for (const Strided& part : message.parts) bytes += part.bytes();
  return bytes;
}

Buffer room_for(Device& device, const std::vector<MpiChannel::Message>& messages) {
  long bytes = 0;
  for (const auto& message : messages) bytes += padded(bytes_of(message));
  if (bytes == 0) return {};
  const bool direct = device.cuda() && gpu_aware_mpi();
  return Buffer(device, static_cast<std::size_t>(bytes), direct ? Memory::device : Memory::pinned);
}

// Calls visit(strided part, its place in the buffer) for every part and message(rank, place, units) for every message.
template <class Part, class Whole>
void lay_out(const std::vector<MpiChannel::Message>& messages, char* at, const Part& visit,
             const Whole& message) {
  for (const auto& m : messages) {
    char* place = at;
    for (const Strided& part : m.parts) {
      visit(part, packed(part, place));
      place += part.bytes();
    }
    message(m.rank, at, static_cast<int>((bytes_of(m) + kUnit - 1) / kUnit));
    at += padded(bytes_of(m));
  }
}

// Some MPIs take no null list, not even of nothing: a halo on one side only leaves a rank that just sends.
void start_all(std::vector<MPI_Request>& requests) {
  if (!requests.empty()) MPI_Startall(static_cast<int>(requests.size()), requests.data());
}

bool all_done(std::vector<MPI_Request>& requests) {
  int all = 1;
  if (!requests.empty())
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
  return all != 0;
}

} // namespace

MpiChannel::MpiChannel(Device& device, std::vector<Message> outgoing, std::vector<Message> incoming, int tag)
    : device_(device),
      send_buffer_(room_for(device, outgoing)),
      receive_buffer_(room_for(device, incoming)),
      packed_(device.kind()) {
  const MPI_Comm comm = device.world().comm();
  std::vector<CopyPair> pack, unpack;
  lay_out(
      outgoing, send_buffer_.data(),
      [&](const Strided& in, const Strided& dense) {
        pack.push_back({in, dense});
      },
      [&](int rank, char* at, int units) {
        MPI_Send_init(at, units, MPI_INT64_T, rank, tag, comm, &sends_.emplace_back(MPI_REQUEST_NULL));
      });
  lay_out(
      incoming, receive_buffer_.data(),
      [&](const Strided& in, const Strided& dense) {
        unpack.push_back({dense, in});
      },
      [&](int rank, char* at, int units) {
        MPI_Recv_init(at, units, MPI_INT64_T, rank, tag, comm, &receives_.emplace_back(MPI_REQUEST_NULL));
      });
  pack_ = CopyPlan(device, std::move(pack));
  unpack_ = CopyPlan(device, std::move(unpack));
}

MpiChannel::~MpiChannel() {
  if (unwinding()) return;
  for (auto* requests : {&sends_, &receives_})
    for (MPI_Request& request : *requests) MPI_Request_free(&request);
}

void MpiChannel::send() {
  start_all(sends_);
  sent_ = true;
}

void MpiChannel::start(Stream& stream) {
  start_all(receives_);
  pack_.enqueue(stream);
  packed_.record(stream);
  sent_ = false;
  if (packed_.reached()) send();
}

void MpiChannel::finish(Stream& stream) {
  if (!sent_) {
    packed_.synchronize();
    send();
  }
  device_.world().wait_until([&] { return all_done(receives_); }, "a message from a neighbour");
  device_.world().wait_until([&] { return all_done(sends_); }, "a neighbour to take a message");
  unpack_.enqueue(stream);
}

} // namespace tasuki
