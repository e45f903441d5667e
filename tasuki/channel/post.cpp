#include <tasuki/channel/post.hpp>

#include <tasuki/base/mpi_info.hpp>
#include <tasuki/base/reduce.hpp>

#include <algorithm>
#include <iterator>
#include <list>
#include <string>
#include <utility>

namespace tasuki {
namespace {

constexpr unsigned kPostTags = 32000; // every MPI has at least as many
constexpr std::size_t kAtOnce = 64;   // the most questions that are received or answered at once
constexpr std::size_t kSpare = 8;     // the most memories of questions that are kept for the next ones

[[noreturn]] void refuse(const std::string& what, const std::string& mend) { throw Error(what, mend); }

} // namespace

// The duty that answers the questions of other ranks.
class Post::Desk : public Duty {
public:
  Desk(const Post& post, Answer answer) : post_(post), answer_(std::move(answer)) {}

  bool advance(const std::function<void()>& delay) override {
    bool moved = false;
    // One that has come is answered before the next is looked for: each look is a microsecond, and somebody waits.
    while (at_hand_.size() < kAtOnce && receive()) {
      moved = true;
      work_on(at_hand_.back(), delay);
    }
    for (auto next = at_hand_.begin(); next != at_hand_.end();) {
      const Work work = work_on(*next, delay);
      moved |= work != Work::none;
      next = work == Work::all ? at_hand_.erase(next) : std::next(next);
    }
    busy_ = !at_hand_.empty();
    return moved;
  }
  bool settled() const override { return !busy_; }
  bool listens() const override { return true; }

private:
  struct Case { // an incoming question, then its reply
    std::vector<char> question;
    std::size_t bytes; // of the question: its memory may be larger
    Reply reply;
    int from, tag;
    bool replies = false;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  // What was done of a case: its answer, or, once that has been sent, all.
  enum class Work { none, some, all };
  Work work_on(Case& one, const std::function<void()>& delay) {
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    if (!done) return Work::none;
    if (one.replies) return Work::all;
    delay();
    one.reply = answer_(one.question.data(), one.bytes);
    one.replies = true;
    put_by(std::move(one.question));
    MPI_Isend(one.reply.data(), static_cast<int>(one.reply.size()), MPI_BYTE, one.from, one.tag,
              post_.replies_, &one.request);
    return Work::some;
  }

  bool receive() {
    int there = 0, bytes = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, post_.questions_, &there, &message, &status);
    if (!there) return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (static_cast<std::size_t>(bytes) > post_.most_)
      refuse("rank " + std::to_string(post_.ranks_.rank(status.MPI_SOURCE)) + " asks by a message of " +
                 std::to_string(bytes) + " bytes, where " + std::to_string(post_.most_) + " are the most",
             "see whether all ranks run the same Tasuki");
    Case& next = at_hand_.emplace_back();
    if (!spare_.empty()) {
      next.question = std::move(spare_.back());
      spare_.pop_back();
    }
    next.bytes = static_cast<std::size_t>(bytes);
    if (next.question.size() < next.bytes) next.question.resize(next.bytes);
    next.from = status.MPI_SOURCE;
    next.tag = status.MPI_TAG;
    MPI_Imrecv(next.question.data(), bytes, MPI_BYTE, &message, &next.request);
    return true;
  }

  // Memory of a question that has been answered serves the next ones: it is there, and not filled again.
  void put_by(std::vector<char> memory) {
    if (spare_.size() < kSpare) spare_.push_back(std::move(memory));
  }

  const Post& post_;
  const Answer answer_;
  std::list<Case> at_hand_;
  std::vector<std::vector<char>> spare_;
  std::atomic<bool> busy_{false};
};

bool Post::Letter::answered() {
  if (answered_) return true;
  int done = 0;
  std::array<MPI_Status, 2> statuses{};
  MPI_Testall(2, requests_.data(), &done, statuses.data());
  if (!done) return false;
  int bytes = 0;
  MPI_Get_count(&statuses[1], MPI_BYTE, &bytes);
  bytes_ = static_cast<std::size_t>(bytes);
  if (!into_) reply_.resize(bytes_);
  answered_ = true;
  return true;
}

Post::Post(const Ranks& ranks, std::size_t most, Answer answer) : ranks_(ranks), most_(most) {
  World& world = ranks.world();
  if (!mpi_serves_threads(world))
    refuse(
        "MPI serves a single thread of each rank, so none can answer other nodes while its program computes",
        "let World start MPI, or start it by MPI_Init_thread with MPI_THREAD_MULTIPLE");
  const Waiting now(world, "the ranks that ask each other");
  MPI_Comm_dup(ranks.comm(), &questions_);
  MPI_Comm_dup(ranks.comm(), &replies_);
  courier_ = Courier::serving(world.part<Device>());
  desk_ = std::make_unique<Desk>(*this, std::move(answer));
  courier_->take(*desk_);
}

Post::~Post() {
  if (unwinding()) {
    courier_->leave(*desk_);
    return;
  }
  const auto waits = std::count_if(under_way_.begin(), under_way_.end(),
                                   [](const auto& letter) { return !letter->answered(); });
  if (waits)
    refuse("rank " + std::to_string(ranks_.world().rank()) + " ends its world while " +
               std::to_string(waits) + (waits == 1 ? " request of it has" : " requests of it have") +
               " no answer",
           "wait for their tickets first");
  barrier(ranks_, "the ranks that still ask"); // until then this one answers
  ranks_.world().wait_until([this] { return desk_->settled(); }, "the replies to other ranks to arrive");
  courier_->leave(*desk_);
  MPI_Comm_free(&replies_);
  MPI_Comm_free(&questions_);
}

std::shared_ptr<Post::Letter> Post::ask(int place, std::vector<char> question, std::size_t reply_bytes) {
  auto letter = std::make_shared<Letter>();
  letter->question_ = std::move(question);
  letter->reply_.resize(reply_bytes);
  return send(place, std::move(letter), reply_bytes);
}

std::shared_ptr<Post::Letter> Post::ask(int place, std::vector<char> question, char* into,
                                        std::size_t reply_bytes) {
  auto letter = std::make_shared<Letter>();
  letter->question_ = std::move(question);
  letter->into_ = into;
  return send(place, std::move(letter), reply_bytes);
}

std::shared_ptr<Post::Letter> Post::send(int place, std::shared_ptr<Letter> letter, std::size_t reply_bytes) {
  const std::vector<char>& question = letter->question_;
  if (question.size() > most_)
    refuse("a question of " + std::to_string(question.size()) + " bytes, where " + std::to_string(most_) +
               " are the most",
           "ask in pieces");
  char* const into = letter->into_ ? letter->into_ : letter->reply_.data();
  const std::lock_guard lock(mutex_);
  if (under_way_.size() >= forget_at_) {
    std::erase_if(under_way_, [](const auto& old) { return old->answered_.load(); });
    forget_at_ = 2 * under_way_.size() + 64;
  }
  under_way_.push_back(letter);
  const int tag = static_cast<int>(next_tag_);
  next_tag_ = (next_tag_ + 1) % kPostTags;
  // Posts the receive of the reply before the question is sent, since MPI matches messages of one tag in order.
  MPI_Irecv(into, static_cast<int>(reply_bytes), MPI_BYTE, place, tag, replies_, &letter->requests_[1]);
  MPI_Isend(question.data(), static_cast<int>(question.size()), MPI_BYTE, place, tag, questions_,
            &letter->requests_[0]);
  return letter;
}

} // namespace tasuki
