// Questions to ranks that do something else meanwhile: a thread of their courier answers them.
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

// Made and ended by all of its ranks together; between, each asks and answers as it likes, from any thread.
//
// Questions and replies have communicators of their own. Where MPI does not serve several threads of a rank, nobody could
// answer beside a program: that is an Error.
class Post {
public:
  // Called by a thread of the courier, one question after another.
  using Answer = std::function<std::vector<char>(const char* question, std::size_t bytes)>;

  class Letter {
  public:
    bool answered();                                       // true from then on; by one thread at a time
    std::vector<char> take() { return std::move(reply_); } // once it is answered
    std::size_t bytes() const { return bytes_; }           // of the reply, likewise

  private:
    friend class Post;
    std::vector<char> question_, reply_;
    char* into_ = nullptr; // the asker's own place for the reply
    std::size_t bytes_ = 0;
    std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::atomic<bool> answered_{false};
  };

  Post(const Ranks& ranks, std::size_t most, Answer answer); // bytes of a question, at most
  ~Post(); // ends the run, by an error, where a letter of this rank has not been answered
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  const Ranks& ranks() const { return ranks_; }
  // Asks the rank at this place; its reply has at most `reply_bytes`.
  std::shared_ptr<Letter> ask(int place, std::vector<char> question, std::size_t reply_bytes);
  // The same, and the reply goes where the asker wants it; that memory lives until the letter is answered.
  std::shared_ptr<Letter> ask(int place, std::vector<char> question, char* into, std::size_t reply_bytes);

private:
  class Desk;
  std::shared_ptr<Letter> send(int place, std::shared_ptr<Letter> letter, std::size_t reply_bytes);
  Ranks ranks_;
  std::size_t most_;
  MPI_Comm questions_ = MPI_COMM_NULL, replies_ = MPI_COMM_NULL;
  std::mutex mutex_;
  unsigned next_tag_ = 0;
  std::size_t forget_at_ = 64;                     // letters, of which those that are answered are dropped
  std::vector<std::shared_ptr<Letter>> under_way_; // MPI has their memory, whoever forgets them
  std::shared_ptr<Courier> courier_;
  std::unique_ptr<Desk> desk_;
};

} // namespace tasuki
