#include <tasuki/base/agree.hpp>

#include <tasuki/base/digest.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

namespace tasuki {
namespace {

// A communicator for comparisons only, so that no other operation of the ranks can match their messages.
class Meeting {
public:
  explicit Meeting(const Ranks& ranks) : ranks_(ranks) { MPI_Comm_dup(ranks.comm(), &comm_); }
  ~Meeting() {
    if (!unwinding()) MPI_Comm_free(&comm_);
  }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  const Ranks& ranks() const { return ranks_; }

  // The lowest rank whose number differs from that of rank 0; none if all are equal.
  std::optional<int> other(std::uint64_t mine, const std::string& act) {
    what_ = "the other ranks before it " + act;
    std::array<std::uint64_t, 2> most{mine, ~mine};
    wait([&](MPI_Request* r) {
      return MPI_Iallreduce(MPI_IN_PLACE, most.data(), 2, MPI_UINT64_T, MPI_MAX, comm_, r);
    });
    if (most[0] == ~most[1]) return std::nullopt;
    std::uint64_t first = mine;
    wait([&](MPI_Request* r) { return MPI_Ibcast(&first, 1, MPI_UINT64_T, 0, comm_, r); });
    int place = first == mine ? ranks_.size() : ranks_.place();
    wait([&](MPI_Request* r) { return MPI_Iallreduce(MPI_IN_PLACE, &place, 1, MPI_INT, MPI_MIN, comm_, r); });
    return place;
  }

  // The text of the rank at `place`, on every rank.
  std::string text_of(int place, std::string text) {
    auto size = static_cast<int>(std::min<std::size_t>(text.size(), 1 << 24));
    wait([&](MPI_Request* r) { return MPI_Ibcast(&size, 1, MPI_INT, place, comm_, r); });
    text.resize(static_cast<std::size_t>(size));
    wait([&](MPI_Request* r) { return MPI_Ibcast(text.data(), size, MPI_CHAR, place, comm_, r); });
    return text;
  }

private:
  template <class Begin>
  void wait(const Begin& begin) {
    MPI_Request request = MPI_REQUEST_NULL;
    begin(&request);
    ranks_.world().wait_until(
        [&] {
          int done = 0;
          MPI_Test(&request, &done, MPI_STATUS_IGNORE);
          return done != 0;
        },
        what_.c_str());
  }

  Ranks ranks_;
  std::string what_; // the description of what is waited for
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// The communicators of a world: one for all its ranks, and one for each subset that has compared something.
class Meetings {
public:
  explicit Meetings(World&) {}
  ~Meetings() {
    while (!list_.empty()) list_.pop_back();
  }
  Meetings(const Meetings&) = delete;
  Meetings& operator=(const Meetings&) = delete;

  Meeting& of(const Ranks& ranks) {
    const auto found = std::find_if(list_.begin(), list_.end(), [&](const auto& meeting) {
      return meeting->ranks().comm() == ranks.comm();
    });
    return found != list_.end() ? **found : *list_.emplace_back(std::make_unique<Meeting>(ranks));
  }

private:
  std::vector<std::unique_ptr<Meeting>> list_;
};

struct UnderwayDepth {
  explicit UnderwayDepth(World&) {}
  int depth = 0;
};

// The act and its terms as one text to be sent: parts terminated by zero bytes.
std::string packed(const std::string& act, const Terms& terms) {
  std::string text = act + '\0';
  for (const auto& [name, value] : terms) text += name + '\0' + value + '\0';
  return text;
}

struct Intent {
  std::string act;
  Terms terms;

  explicit Intent(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0, end = 0; (end = text.find('\0', at)) != std::string::npos; at = end + 1)
      parts.push_back(text.substr(at, end - at));
    if (!parts.empty()) act = parts[0];
    for (std::size_t k = 1; k + 1 < parts.size(); k += 2) terms.emplace_back(parts[k], parts[k + 1]);
  }

  const std::string& value(const std::string& name) const {
    static const std::string none;
    const auto found =
        std::find_if(terms.begin(), terms.end(), [&](const auto& term) { return term.first == name; });
    return found == terms.end() ? none : found->second;
  }
};

// The name of the first term that differs; empty if none does.
std::string difference(const Intent& a, const Intent& b) {
  for (const Intent* list : {&a, &b})
    for (const auto& [name, value] : list->terms)
      if (a.value(name) != b.value(name)) return name;
  return {};
}

// The part of a long text around position `at`.
std::string around(const std::string& text, std::size_t at) {
  constexpr std::size_t kMost = 160;
  if (text.size() <= kMost) return text;
  const std::size_t from = std::min(at > kMost / 2 ? at - kMost / 2 : 0, text.size() - kMost);
  return (from > 0 ? ".." : "") + text.substr(from, kMost) + (from + kMost < text.size() ? ".." : "");
}

[[noreturn]] void refuse(const Intent& a, const Intent& b, int one_rank, int other_rank) {
  const std::string first = "rank " + std::to_string(one_rank) + " " + a.act,
                    second = ", rank " + std::to_string(other_rank) + " ";
  const auto detail = [](const Intent& one) {
    const bool none = one.terms.empty() || one.terms[0].second.empty();
    return none ? std::string() : " (" + one.terms[0].first + " " + around(one.terms[0].second, 0) + ")";
  };
  if (a.act != b.act)
    throw Error(first + detail(a) + second + b.act + detail(b),
                "let every rank do the same, in the same order");
  const std::string name = difference(a, b);
  if (name.empty()) // the same terms in another order
    throw Error(first + second + b.act + " with the same in another order", "let every rank do the same");
  const std::string &one = a.value(name), &other = b.value(name);
  const auto at = static_cast<std::size_t>(
      std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
  const auto with = [&](const std::string& value) {
    return value.empty() ? "without " + name : "with " + name + " " + around(value, at);
  };
  throw Error(first + " " + with(one) + second + with(other),
              name.rfind("--", 0) == 0 ? "give every rank the same options"
                                       : "let every rank do the same, in the same order");
}

} // namespace

void agree(const Ranks& ranks, const std::string& act, std::uint64_t digest,
           const std::function<Terms()>& terms) {
  if (ranks.size() == 1) return;
  Meeting& meeting = ranks.world().part<Meetings>().of(ranks);
  const std::optional<int> other = meeting.other(Digest().add(act).add(digest).value(), act);
  if (!other) return;
  const std::string mine = packed(act, terms());
  const Intent first(meeting.text_of(0, mine)), second(meeting.text_of(*other, mine));
  refuse(first, second, ranks.rank(0), ranks.rank(*other));
}

void agree(const Ranks& ranks, const std::string& act, const Terms& terms) {
  agree(ranks, act, digest_of(terms), [&] { return terms; });
}

std::uint64_t digest_of(const Terms& terms) {
  Digest digest;
  for (const auto& [name, value] : terms) digest.add(name).add(value);
  return digest.value();
}

Underway::Underway(World& world) : depth_(world.part<UnderwayDepth>().depth) { ++depth_; }
Underway::~Underway() { --depth_; }
bool Underway::in(World& world) { return world.part<UnderwayDepth>().depth > 0; }

Terms terms_of_words(const std::vector<std::string>& words) {
  std::map<std::string, std::string>
      found; // sorted by name: the order in which they were given does not matter
  int places = 0;
  const auto put = [&](const std::string& name, const std::string& value) {
    std::string& all = found[name];
    all += (all.empty() ? "" : " ") + value;
  };
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    const std::size_t sign = word.find('=');
    if (word.rfind("-", 0) != 0 || word.find_first_not_of("-+.0123456789eE") == std::string::npos)
      put("argument " + std::to_string(++places), word);
    else if (sign != std::string::npos)
      put(word.substr(0, sign), word.substr(sign + 1));
    else if (k + 1 < words.size() && words[k + 1].rfind("--", 0) != 0)
      put(word, words[++k]);
    else
      put(word, "given");
  }
  return {found.begin(), found.end()};
}

} // namespace tasuki
