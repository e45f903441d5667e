#include <tasuki/transfer/ticket.hpp>

#include <tasuki/channel/post.hpp>

#include <algorithm>
#include <deque>
#include <utility>

namespace tasuki {
namespace {

constexpr std::size_t kFlying = 8; // the most pieces of a ticket that are in transit at once

// A part of an errand that is small enough for one request.
struct Piece {
  Errand errand;
  char* here = nullptr;
  std::shared_ptr<Post::Letter> letter;
};

// Divides an errand into pieces: as many rows as fit into a request, or a part of one row if a row is too long.
class Pieces {
public:
  Pieces(const Errand& errand, char* here, std::uint64_t stride)
      : errand_(errand), here_(here), stride_(stride) {}

  bool many() const {
    return errand_.rows.bytes > 0 &&
           errand_.rows.count > kMost / std::min<std::uint64_t>(kMost + 1, errand_.rows.bytes);
  }
  // A request that only checks whether all rows lie in the loan, so that no piece is done if one would be refused.
  Piece look() const {
    Piece piece{errand_, here_, nullptr};
    piece.errand.act = Act::look;
    return piece;
  }
  bool over() const { return row_ >= std::max<std::uint64_t>(1, errand_.rows.count); }

  Piece next() {
    const ByteRows& all = errand_.rows;
    Piece piece{errand_, here_ + row_ * stride_ + at_, nullptr};
    ByteRows& rows = piece.errand.rows;
    rows.offset = all.offset + row_ * all.stride + at_;
    if (all.bytes > kMost) {
      rows = {rows.offset, std::min<std::uint64_t>(kMost, all.bytes - at_), 1, 0};
      at_ += rows.bytes;
      if (at_ == all.bytes) {
        at_ = 0;
        ++row_;
      }
    } else {
      const std::uint64_t most = all.bytes ? kMost / all.bytes : all.count;
      rows.count = std::min<std::uint64_t>(most, all.count - row_);
      row_ += std::max<std::uint64_t>(1, rows.count);
    }
    return piece;
  }

private:
  Errand errand_;
  char* here_;
  std::uint64_t stride_, row_ = 0, at_ = 0;
};

} // namespace

struct Ticket::Work {
  Work(Post& post, int place, const Errand& errand, char* here, std::uint64_t stride, std::string name,
       std::shared_ptr<int> open)
      : post(post),
        place(place),
        stride(stride),
        name(std::move(name)),
        pieces(errand, here, stride),
        open(std::move(open)) {
    ++*this->open;
    if (pieces.many()) ask(pieces.look());
  }
  ~Work() { --*open; }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void ask(Piece piece) {
    looks = piece.errand.act == Act::look;
    const ByteRows& rows = piece.errand.rows;
    std::vector<char> request = request_of(piece.errand);
    if (piece.errand.act == Act::put)
      copy_rows(request.data() + kRequestHead, rows.bytes, piece.here, stride, rows.bytes, rows.count);
    const std::size_t reply = std::max(reply_size(piece.errand), kReplyHead + kMostWords);
    piece.letter = post.ask(place, std::move(request), reply);
    flying.push_back(std::move(piece));
  }

  // Stores the data of a reply.
  void take(const Piece& piece, std::uint64_t& found) {
    const std::vector<char> bytes = piece.letter->take();
    const Reply reply = read_reply(bytes.data(), bytes.size(), piece.errand);
    const ByteRows& rows = piece.errand.rows;
    if (reply.refused)
      refused = refused ? refused : reply.refused;
    else if (piece.errand.act == Act::look)
      looks = false;
    else if (piece.errand.act == Act::get)
      copy_rows(piece.here, stride, reply.bytes, rows.bytes, rows.bytes, rows.count);
    else if (size_of(piece.errand.number))
      std::memcpy(&found, reply.bytes, sizeof found);
  }

  bool advance(std::uint64_t& found) {
    while (!flying.empty() && flying.front().letter->answered()) {
      take(flying.front(), found);
      flying.pop_front();
    }
    while (!refused && !looks && !pieces.over() && flying.size() < kFlying) ask(pieces.next());
    return flying.empty() && (refused || pieces.over());
  }

  Post& post;
  int place;
  std::uint64_t stride;
  std::string name;
  Pieces pieces;
  std::shared_ptr<int> open; // number of unfinished tickets of this loan
  bool looks = false;        // the check of all rows is under way; no piece is sent before it ends
  std::deque<Piece> flying;
  std::optional<Refusal> refused;
};

Ticket::Ticket(Post& post, int place, const Errand& errand, char* here, std::uint64_t stride,
               std::string name, std::shared_ptr<int> open)
    : work_(std::make_unique<Work>(post, place, errand, here, stride, std::move(name), std::move(open))) {
  work_->advance(found_);
}

Ticket::Ticket(std::uint64_t found) : found_(found) {}
Ticket::Ticket(Ticket&&) noexcept = default;

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  if (this == &other) return *this;
  end();
  found_ = other.found_;
  work_ = std::move(other.work_);
  return *this;
}

Ticket::~Ticket() { end(); }

void Ticket::end() {
  if (work_ && !unwinding()) wait();
}

bool Ticket::done() {
  if (!work_) return true;
  if (!work_->advance(found_)) return false;
  const std::unique_ptr<Work> over = std::move(work_);
  if (!over->refused) return true;
  const Ranks& ranks = over->post.ranks();
  throw Error("rank " + std::to_string(ranks.world().rank()) + " asks rank " +
                  std::to_string(ranks.rank(over->place)) + " for " + over->refused->what,
              over->refused->mend);
}

void Ticket::wait() {
  if (!work_) return;
  const Ranks& ranks = work_->post.ranks();
  const std::string what =
      "rank " + std::to_string(ranks.rank(work_->place)) + " to answer what it is asked of " + work_->name;
  ranks.world().wait_until([this] { return done(); }, what.c_str());
}

} // namespace tasuki
