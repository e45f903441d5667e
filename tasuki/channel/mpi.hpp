// The channel between nodes: one packed message a neighbour over persistent MPI requests, from device memory where the
// MPI says that it is GPU-aware, else staged through pinned memory that the device packs into.
#pragma once

#include <tasuki/device/copy.hpp>

#include <mpi.h>

namespace tasuki {

class MpiChannel {
public:
  struct Message {
    int rank;
    std::vector<Strided> parts; // in the order in which sender and receiver both list them
  };

  // `tag` is the same on both sides of every message.
  MpiChannel(Device& device, std::vector<Message> outgoing, std::vector<Message> incoming, int tag);
  ~MpiChannel();
  MpiChannel(const MpiChannel&) = delete;
  MpiChannel& operator=(const MpiChannel&) = delete;

  void start(Stream& stream);  // packs; sends at once where packing is done already
  void finish(Stream& stream); // the host waits for the messages; what is enqueued later sees the halo

private:
  void send();

  Device& device_;
  Buffer send_buffer_, receive_buffer_;
  CopyPlan pack_, unpack_;
  Event packed_;
  std::vector<MPI_Request> sends_, receives_;
  bool sent_ = false;
};

} // namespace tasuki
