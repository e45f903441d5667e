#include "mail.hpp"

#include "calls.hpp"
#include "checking.hpp"
#include "objects.hpp"
#include "translated.h"
#include "xmp.h"

#include <tasuki/base/wait.hpp>
#include <tasuki/transfer/collectives.hpp>

#include <atomic>

namespace tasuki::xmp {

Mail::Mail(World& world) : world_(world) {
  MPI_Comm_dup(world.comm(), &posts_);
  MPI_Comm_dup(world.comm(), &meetings_);
}

Mail::~Mail() {
  if (unwinding()) return;
  for (MPI_Request& request : sent_) // a post without a wait is freed here
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  MPI_Comm_free(&posts_);
  MPI_Comm_free(&meetings_);
}

void Mail::post(int to, long tag) {
  if (tag < 0 || tag > 32767)
    throw Error("a post has tag " + std::to_string(tag), "give it one of 0 to 32767");
  int done = 0;
  if (!sent_.empty()) MPI_Testall(static_cast<int>(sent_.size()), sent_.data(), &done, MPI_STATUSES_IGNORE);
  if (done) sent_.clear();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(nullptr, 0, MPI_BYTE, to, static_cast<int>(tag), posts_, &request);
  sent_.push_back(request);
}

void Mail::wait(std::optional<int> from, std::optional<long> tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, from.value_or(MPI_ANY_SOURCE), tag ? static_cast<int>(*tag) : MPI_ANY_TAG,
            posts_, &request);
  detail::await(world_, {request}, "a post");
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Mail::meet(const std::vector<int>& others) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::vector<MPI_Request> requests;
  for (const int other : others) {
    if (other == world_.rank()) continue;
    MPI_Isend(nullptr, 0, MPI_BYTE, other, 0, meetings_, &requests.emplace_back(MPI_REQUEST_NULL));
    MPI_Irecv(nullptr, 0, MPI_BYTE, other, 0, meetings_, &requests.emplace_back(MPI_REQUEST_NULL));
  }
  if (!requests.empty()) detail::await(world_, requests, "another image to meet this one");
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

std::optional<int> numbered(long image) {
  const NodesObject* const nodes = RunTime::now().part<Numbering>().nodes;
  if (!nodes) return {};
  if (image < 0 || image >= nodes->nodes.size())
    throw Error("nodes '" + nodes->name + "' have no image " + std::to_string(image) + " of " +
                    std::to_string(nodes->nodes.size()) + ", counted from 0",
                "name one that there is");
  return nodes->nodes.rank(static_cast<int>(image));
}

namespace {

// The rank of an image among the executing ranks; images count from 0.
int rank_of_image(int image) {
  if (const auto rank = numbered(image)) return *rank;
  const std::vector<int>& members = RunTime::now().executing().members();
  if (image < 0 || image >= static_cast<int>(members.size()))
    throw Error("there is no image " + std::to_string(image) + " of " + std::to_string(members.size()) +
                    ", counted from 0",
                "name one that there is");
  return members[static_cast<std::size_t>(image)];
}

int single(const tsk_ref& ref) {
  const std::vector<int> members = members_of(&ref);
  if (members.size() != 1)
    throw Error("a post names " + std::to_string(members.size()) + " nodes", "name one");
  return members.front();
}

// The images meet the calling one two by two: which others come to it is theirs to say, so --check compares nothing.
void meet(int count, const int* images, int* status) {
  at(place_of_call(), [&] {
    std::vector<int> ranks;
    for (int k = 0; k < count; ++k) ranks.push_back(rank_of_image(images[k]));
    RunTime::now().part<Mail>().meet(ranks);
  });
  if (status) *status = XMP_STAT_SUCCESS;
}

void meet_all(const char* name, int* status) {
  const char* const where = place_of_call();
  at(where, [&] {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    come_together(where, name, RunTime::now().executing().ranks());
    meet(RunTime::now().executing().ranks(), "the other images");
    std::atomic_thread_fence(std::memory_order_seq_cst);
  });
  if (status) *status = XMP_STAT_SUCCESS;
}

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_post(const char* where, const tsk_ref* to, long tag) {
  at(where, [&] { RunTime::now().part<Mail>().post(single(*to), tag); });
}

void tsk_wait(const char* where, const tsk_ref* from, int tagged, long tag) {
  at(where, [&] {
    const std::optional<int> sender = from ? std::optional<int>(single(*from)) : std::nullopt;
    RunTime::now().part<Mail>().wait(sender, tagged ? std::optional<long>(tag) : std::nullopt);
  });
}

void tsk_image(const char* where, const tsk_nodes* nodes) {
  at(where, [&] { RunTime::now().part<Numbering>().nodes = nodes ? &nodes_of(nodes) : nullptr; });
}

int xmpc_this_image(void) {
  const NodesObject* const nodes = RunTime::now().part<Numbering>().nodes;
  return nodes ? nodes->here().value_or(-1) : xmpc_node_num();
}
int xmp_this_image(void) { return xmpc_this_image() + 1; }
int xmp_num_images(void) { return xmp_num_nodes(); }
int xmpc_num_images(void) { return xmp_num_nodes(); }

void xmp_sync_memory(int* status) {
  std::atomic_thread_fence(std::memory_order_seq_cst); // completes earlier puts before the call returns
  if (status) *status = XMP_STAT_SUCCESS;
}
void xmp_sync_all(int* status) { meet_all("xmp_sync_all", status); }
void xmp_sync_image(int image, int* status) { meet(1, &image, status); }
void xmp_sync_images(int count, int* images, int* status) { meet(count, images, status); }
void xmp_sync_images_all(int* status) { meet_all("xmp_sync_images_all", status); }
}
