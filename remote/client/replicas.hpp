// A link to a virtual device that is several real ones. Each call goes to all of them; what they answer is compared, and the
// program gets what they agree on. Of the bytes of a copy one sends all, the others the digest; with a tolerance all send them.
//
//   auto link = std::make_unique<ReplicaLink>(0, std::move(two), spares, Replication{1 << 30, false}, agreement);
//   Connection calls(std::move(link), handlers);
//
// One that is lost, or that was outvoted, is replaced: a spare, or where there is none a fresh worker of the same device, plays the
// log of the calls. Where two differ, it is the third whose answer decides, so bytes that only one has come to are never told.
//
// A replica moves where it is asked to, or where its server is about to end, while the others go on.
//
// Threads: those that write calls; one a replica, which takes its answers; and the keeper, which does what takes time.
#pragma once

#include <remote/client/agreement.hpp>
#include <remote/client/ballot.hpp>
#include <remote/client/imaging.hpp>
#include <remote/client/standing.hpp>

#include <functional>
#include <memory>

namespace tasuki::remote {

struct Replication {
  Log::Room log = 1ull << 30; // where it would need more it is given up, and none can be replaced
  bool same_host = false;     // replicas may be of one
  Imaging::Rule images = {};
  std::optional<Tolerance> tolerance = {}; // of their numbers; then each sends its bytes, and no digest
};

class ReplicaLink : public Link {
public:
  ReplicaLink(int device, std::vector<Spare> replicas, std::shared_ptr<Spares> spares,
              const Replication& replication, Agreement& agreement,
              std::shared_ptr<Standing> standing = std::make_shared<Standing>());
  ~ReplicaLink() override;

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override; // whole frames, as Connection writes them
  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override;
  void shut() noexcept override;
  void shut_for(const std::string& why) noexcept override;
  void set_patience(std::chrono::milliseconds) override {}
  std::string peer() const override;

  // Another worker plays the log, gets in line, and then the replica at `from` goes ("": the one on the same host, else the first).
  // Waits; what has gone wrong, or "".
  std::string move(Spare to, const std::string& from);

private:
  struct Wish {
    Spare to;
    std::string from;
  };
  struct Replica : Worker {
    int number = 0;              // of all that there have been
    int uses = 1;                // which worker of its GPU it is
    bool in_line = false;        // it has come to where the log ends, and gets what is written
    bool retired = false;        // it is not listened to any more
    std::string why;             // it is unfit
    std::string text;            // printed by its kernels, the last of it
    std::deque<Message> faulted; // answers with an error that sticks, until it is known whose it is
  };
  using One = std::shared_ptr<Replica>;

  // Of the threads that read; with the mutex held.
  void read_from(Replica& replica);
  void take(Replica& replica, Message message, u64 value);
  void vote(Replica& replica, Message message, u64 value);
  void count(Replica& replica, const Message& message);
  void print(Replica& replica, const Message& message);
  void tell_text(Replica& replica);
  void decide(u64 number);
  void retire(int number, const std::string& why);
  void review();
  bool all_have(const std::function<bool(const Replica&)>& come) const;
  void tell_troubles();
  void tell_reached(u64 token);
  void faults(Replica& replica, i32 error);
  void review_reached();
  void deliver(Message message);
  void say_difference(u64 number, Ballot& ballot, const Ballot::Verdict& verdict);

  // Of the keeper.
  void keep();
  bool troubled() const;
  void recover(Held& held);
  void look_into_faults(Held& held);
  void it_is_the_programs_own();
  void fetch(Held& held, u64 number);
  u64 ask(Held& held, Replica& replica, std::vector<unsigned char> frame);
  void out_of_line(Held& held);
  bool bring(Held& held);
  bool get_in_line(Held& held);                                                  // the fresh one
  void fulfil(Held& held);                                                       // the wish
  std::string go(Held& held, const One& goes, Spare to, const std::string& why); // "", or what has gone wrong
  bool fits(const Spare& place, const Replica& goes) const;
  std::set<std::string> hosts_beside(const Replica& goes) const;
  One leaving() const;
  void leave(Held& held, const One& goes);
  One next(Held& held);
  void give_up(); // nobody is left to be brought
  void say_who_came(std::chrono::steady_clock::time_point begin);
  One start(Spare place, int uses);
  static void stop(const One& replica);
  void take_image(Held& held);
  void give_up_log();
  void end(const std::string& what, const std::string& mend);

  const int device_;
  const std::shared_ptr<Spares> spares_;
  const Replication replication_;
  Agreement& agreement_;
  const std::shared_ptr<Standing> standing_;
  std::mutex sending_; // taken before mutex_
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Log log_;
  std::vector<One> line_; // the first sends bytes, the others digests
  One fresh_;             // it plays the log
  std::size_t wanted_;
  std::vector<std::string> names_; // of all that there have been
  std::map<u64, Ballot> ballots_;
  std::set<u64> undecided_; // ballots in which all have voted that will, and the keeper has to do something
  std::unordered_map<u64, std::vector<unsigned char>> places_; // of variables, as the program was told
  bool own_ = false;                                           // the program's own fault
  std::size_t faults_ = 0;                                     // how many replicas have reported one
  Message fault_;                                              // as one of them has told it by itself
  bool logged_ = true;
  bool told_apart_ = false; // that an image was not taken
  Imaging imaging_;
  std::unique_ptr<Image> image_; // from which the log goes on; null: it begins with nothing
  std::map<u64, u64> reached_;   // as delivered
  u64 printed_ = 0, troubles_ = 0;
  std::deque<Message> troubles_ahead_; // not all have told them yet
  u64 own_calls_ = 0;
  std::optional<Wish> wish_; // to move
  bool moving_ = false;
  std::string moved_;                              // or why not
  std::chrono::steady_clock::time_point looked_{}; // for a place, as a server is about to end
  bool stays_ = false;                             // that none was found is said
  std::deque<std::pair<Spare, int>> again_; // of replicas that were lost: where a fresh worker may be had
  std::vector<std::pair<std::string, std::string>>
      lost_; // name and why, of those that nobody has come in for
  std::vector<std::string> came_;
  Inbox inbox_;
  bool over_ = false;
  std::string over_what_, over_mend_;
  std::thread keeper_;
};

} // namespace tasuki::remote
