#include <tasuki/space/server.hpp>

#include <tasuki/base/error.hpp>
#include <tasuki/base/variables.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

namespace tasuki::space {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMessage = std::size_t{256} << 10; // of pages, in one reply
constexpr std::size_t kLetter = std::size_t{512} << 10;  // of an Outbox: small enough to stay in a cache
constexpr std::size_t kOnTheirWay = 4;                   // of these: their memory serves again
constexpr std::size_t kFew = std::size_t{16} << 10;      // of pages, as a touch asks for, that come in place
constexpr std::size_t kAtOnce = 32;                      // questions of a fetch that are under way

std::vector<PageRun> runs_in(const char* from, std::size_t bytes) {
  std::vector<PageRun> runs(bytes / sizeof(PageRun));
  if (!runs.empty()) std::memcpy(runs.data(), from, runs.size() * sizeof(PageRun));
  return runs;
}

} // namespace

void wait_softly(const World& world, const char* what, const std::function<bool()>& done) {
  auto next_look = Clock::now() + milliseconds(500);
  for (int turn = 0; !done(); ++turn) {
    if (turn < 50) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(microseconds(turn < 200 ? 10 : 50));
    if (Clock::now() < next_look) continue;
    next_look = Clock::now() + milliseconds(500);
    world.expect_neighbours(what);
  }
}

Server::Server(World& world, const Range& range, const Pages& pages, const Arrays& arrays, Home& home,
               Take take)
    : world_(world),
      range_(range),
      pages_(pages),
      arrays_(arrays),
      home_(home),
      take_(std::move(take)),
      random_(static_cast<unsigned>(world.rank()) + 1),
      delay_(static_cast<long>(variable_number<unsigned long>("TASUKI_SPACE_DELAY").value_or(0))),
      post_(Ranks(world), kMostBytes + 2 * sizeof(Head) + 2 * range.page_bytes(),
            [this](const char* question, std::size_t bytes) { return answer(question, bytes); }) {}

Post::Reply Server::answer(const char* question, std::size_t bytes) {
  const Head head = get<Head>(question);
  const char* const rest = question + sizeof(Head);
  const std::size_t count = bytes - sizeof(Head);
  if (delay_ > 0) {
    std::unique_lock lock(random_mutex_);
    const microseconds late(std::uniform_int_distribution<long>(0, delay_)(random_));
    lock.unlock();
    std::this_thread::sleep_for(late);
  }
  std::vector<char> reply;
  switch (head.ask) {
    case Ask::fetch: {
      const std::vector<PageRun> runs = runs_in(rest, count);
      const char* const kept = home_.fetch(head.node, head.value != 0, runs, reply);
      if (kept == reply.data()) break;
      return {kept, runs[0].count * range_.page_bytes()};
    }
    case Ask::hold: home_.hold(head.node, runs_in(rest, count)); break;
    case Ask::keep: home_.keep(head.node, rest, count); break;
    case Ask::settle: home_.settle(rest, count); break;
    case Ask::notices: take_(rest, count, head.number); break;
    case Ask::changes:
      for (const std::uint64_t page : home_.changes(kPagesInReply)) put(reply, page);
      break;
    case Ask::lock:
      put(reply, static_cast<std::uint64_t>(locks_.take(head.number, head.ticket)));
      put(reply, locks_.end());
      for (const std::uint64_t page : locks_.since(head.position, kPagesInReply, head.node)) put(reply, page);
      break;
    case Ask::unlock: {
      std::vector<std::uint64_t> pages(count / sizeof(std::uint64_t));
      if (!pages.empty()) std::memcpy(pages.data(), rest, pages.size() * sizeof(std::uint64_t));
      if (const auto next = locks_.release(head.number, head.ticket, head.node, pages)) grant(*next);
      break;
    }
    case Ask::granted: grants_.give(head.ticket); break;
    case Ask::add:
    case Ask::exchange:
    case Ask::compare: put(reply, act_on(range_.page(0) + head.number, head)); break;
    case Ask::read_step:
    case Ask::keep_steps:
      if (devices_answer_.load(std::memory_order_acquire)) return for_devices_(head, rest, count);
      break;
  }
  return reply;
}

// Who is told goes on at once, and may end the space while its courier still replies.
Server::~Server() {
  if (unwinding()) return;
  for (const Letter& letter : told_) wait(letter);
}

// By the courier or by a thread that lets its own lock go: it waits for nobody.
void Server::grant(std::uint64_t ticket) {
  const int rank = rank_of_ticket(ticket);
  if (rank == world_.rank()) return grants_.give(ticket);
  const std::lock_guard lock(told_mutex_);
  while (!told_.empty() && told_.front()->answered()) told_.pop_front();
  told_.push_back(send(rank, question({.ask = Ask::granted, .ticket = ticket}), 0));
}

Letter Server::send(int rank, std::vector<char> question, std::size_t most_reply) {
  ++messages_;
  bytes_ += question.size();
  return post_.ask(rank, std::move(question), most_reply);
}

std::vector<char> Server::wait(const Letter& letter) {
  wait_softly(world_, "the home of a shared page to answer", [&] { return letter->answered(); });
  bytes_ += letter->bytes();
  return letter->take_question();
}

std::vector<char> Server::ask(int rank, const std::vector<char>& question, std::size_t most_reply) {
  if (rank == world_.rank()) return answer(question.data(), question.size()).own;
  const Letter letter = send(rank, question, most_reply);
  wait(letter);
  return letter->take();
}

// A run goes in as many replies as there are messages in it; runs that are short and of one home share one.
void Server::fetch(const std::vector<PageRun>& runs, bool hold,
                   const std::function<void(std::size_t)>& there) {
  const std::size_t page = range_.page_bytes(), most = std::max<std::size_t>(1, kMessage / page);
  struct Part { // of a message: some of a run
    std::size_t run;
    PageRun pages;
  };
  struct Way {
    Letter letter;
    std::vector<Part> parts;
    std::unique_ptr<char[]>
        reply; // null: it comes in place, where the system has memory for all of it. See Range::write
  };
  std::deque<Way> under_way;
  std::vector<std::unique_ptr<char[]>> spare; // of kMessage bytes, or a page
  std::vector<std::uint64_t> missing(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) missing[k] = runs[k].count;

  const auto backed = [&](const PageRun& run) {
    for (std::uint64_t k = run.first; k < run.first + run.count; ++k)
      if (!pages_.backed(k)) return false;
    return true;
  };
  const auto come = [&] {
    Way& way = under_way.front();
    wait(way.letter);
    if (const char* from = way.reply.get())
      for (const Part& part : way.parts) {
        range_.write(part.pages.first, from, part.pages.count * page);
        from += part.pages.count * page;
      }
    for (const Part& part : way.parts)
      if ((missing[part.run] -= part.pages.count) == 0) there(part.run);
    if (way.reply) spare.push_back(std::move(way.reply));
    under_way.pop_front();
  };
  const auto go = [&](int home, std::vector<Part> parts) {
    Head head{.ask = Ask::fetch, .node = world_.node(), .value = hold};
    std::vector<char> text = question(head);
    std::uint64_t count = 0;
    for (const Part& part : parts) {
      put(text, part.pages);
      count += part.pages.count;
    }
    ++messages_;
    bytes_ += text.size();
    const bool few = parts.size() == 1 && count * page <= kFew;
    std::unique_ptr<char[]> reply;
    if (!few && (parts.size() > 1 || !backed(parts[0].pages))) {
      if (spare.empty()) spare.emplace_back(new char[most * page]);
      reply = std::move(spare.back());
      spare.pop_back();
    }
    char* const into = reply ? reply.get() : range_.page(parts[0].pages.first);
    Letter letter = post_.ask(home, std::move(text), into, count * page);
    if (few) range_.touch(parts[0].pages.first, count); // while the question is on its way
    under_way.push_back({std::move(letter), std::move(parts), std::move(reply)});
    if (under_way.size() >= kAtOnce) come();
  };

  std::unordered_map<int, std::vector<Part>> small; // by home
  std::unordered_map<int, std::size_t> sizes;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const int home = arrays_.find(runs[k].first)->home(runs[k].first);
    if (runs[k].count > most / 2) {
      for (std::uint64_t at = 0; at < runs[k].count; at += most)
        go(home, {Part{k, {runs[k].first + at, std::min<std::uint64_t>(most, runs[k].count - at)}}});
      continue;
    }
    if (sizes[home] + runs[k].count > most) {
      go(home, std::move(small[home]));
      small[home].clear();
      sizes[home] = 0;
    }
    small[home].push_back({k, runs[k]});
    sizes[home] += runs[k].count;
  }
  for (auto& [home, parts] : small)
    if (!parts.empty()) go(home, std::move(parts));
  while (!under_way.empty()) come();
}

void Server::read(const std::vector<std::uint64_t>& pages, bool hold, char* into) {
  std::vector<char> text = question({.ask = Ask::fetch, .node = world_.node(), .value = hold});
  for (const std::uint64_t page : pages) put(text, PageRun{page, 1});
  const std::size_t bytes = pages.size() * range_.page_bytes();
  const std::vector<char> reply = ask(arrays_.find(pages[0])->home(pages[0]), text, bytes);
  std::memcpy(into, reply.data(), bytes);
}

void Server::hold(const std::vector<PageRun>& runs) {
  Outbox out(*this, {.ask = Ask::hold, .node = world_.node()});
  for (const PageRun& run : runs) {
    const int home = arrays_.find(run.first)->home(run.first);
    put(out.to(home), run);
    out.grown(home);
  }
  out.finish();
}

void Server::settle(int home, std::vector<char> patches) {
  Outbox out(*this, {.ask = Ask::settle, .node = world_.node()});
  std::vector<char>& to = out.to(home);
  to.insert(to.end(), patches.begin(), patches.end());
  out.finish();
}

std::vector<char>& Outbox::to(int rank) {
  std::vector<char>& out = open_[rank];
  if (!out.empty()) return out;
  if (!spare_.empty()) {
    out = std::move(spare_.back());
    spare_.pop_back();
    out.clear();
  }
  out.reserve(kLetter + kLetter / 8); // grows no more where pages are small
  put(out, head_);
  return out;
}

void Outbox::grown(int rank) {
  std::vector<char>& out = open_[rank];
  if (out.size() < kLetter) return;
  sent_.push_back(server_.send(rank, std::move(out), 0));
  open_.erase(rank);
  for (; sent_.size() > kOnTheirWay; sent_.pop_front()) spare_.push_back(server_.wait(sent_.front()));
}

void Outbox::finish() {
  for (auto& [rank, out] : open_)
    if (!out.empty()) sent_.push_back(server_.send(rank, std::move(out), 0));
  open_.clear();
  for (const Letter& letter : sent_) server_.wait(letter);
  sent_.clear();
}

} // namespace tasuki::space
