// Requests to ranks that are busy with other work: a communication thread of the asked rank answers them.
//
//   Post post(ranks, most, [&](const char* question, std::size_t bytes) { return answer_to(question, bytes); });
//   const auto letter = post.ask(3, question, reply_bytes);
//   world.wait_until([&] { return letter->answered(); }, "rank 3 to answer");
//   use(letter->take());
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/channel/courier.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tasuki {

// Construction and destruction are collective. In between, each rank asks and answers independently, from any thread; it
// answers until all ranks have come to the destruction.
//
// Questions and replies have separate communicators. Throws Error if MPI does not support calls from several threads,
// because no thread could then answer while the program runs.
class Post {
public:
  // What is sent back: bytes of its own, or bytes that others keep where they are until they have been sent.
  struct Reply {
    Reply() = default;
    Reply(std::vector<char> bytes) : own(std::move(bytes)) {}
    Reply(const char* at, std::size_t bytes) : kept(at), kept_bytes(bytes) {}
    const char* data() const { return kept ? kept : own.data(); }
    std::size_t size() const { return kept ? kept_bytes : own.size(); }

    std::vector<char> own;
    const char* kept = nullptr;
    std::size_t kept_bytes = 0;
  };
  // Called by a thread of the courier, for one question at a time.
  using Answer = std::function<Reply(const char* question, std::size_t bytes)>;

  class Letter {
  public:
    bool answered(); // stays true; called by one thread at a time
    // These require answered(). The memory of the question may serve the next one.
    std::vector<char> take() {
      question_ = {};
      return std::move(reply_);
    }
    std::vector<char> take_question() { return std::move(question_); }
    std::size_t bytes() const { return bytes_; } // size of the reply

  private:
    friend class Post;
    std::vector<char> question_, reply_;
    char* into_ = nullptr; // memory of the asking rank for the reply; null: reply_
    std::size_t bytes_ = 0;
    std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::atomic<bool> answered_{false};
  };

  Post(const Ranks& ranks, std::size_t most, Answer answer); // `most`: largest size of a question, in bytes
  ~Post(); // ends the run with an error if a letter of this rank is unanswered
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  const Ranks& ranks() const { return ranks_; }
  // Asks the rank with this index in ranks(). Its reply has at most `reply_bytes` bytes.
  std::shared_ptr<Letter> ask(int place, std::vector<char> question, std::size_t reply_bytes);
  // The same, but the reply is stored at `into`. This memory must exist until the letter is answered.
  std::shared_ptr<Letter> ask(int place, std::vector<char> question, char* into, std::size_t reply_bytes);

private:
  class Desk;
  std::shared_ptr<Letter> send(int place, std::shared_ptr<Letter> letter, std::size_t reply_bytes);
  Ranks ranks_;
  std::size_t most_;
  MPI_Comm questions_ = MPI_COMM_NULL, replies_ = MPI_COMM_NULL;
  std::mutex mutex_;
  unsigned next_tag_ = 0;
  std::size_t forget_at_ = 64;                     // number of letters at which answered ones are removed
  std::vector<std::shared_ptr<Letter>> under_way_; // for MPI, also if the caller drops a letter
  std::shared_ptr<Courier> courier_;
  std::unique_ptr<Desk> desk_;
};

} // namespace tasuki
