// A link to a virtual device that outlives its worker: where that ends, falls silent or reports a fault, a spare plays the log of
// the calls and takes its place. Whoever writes and reads here notices nothing but the time.
//
//   auto link = std::make_unique<LastingLink>(0, first, spares, 1 << 30);
//   Connection calls(std::move(link), handlers);
//
// Three kinds of threads take part: those that write calls, which are kept in the log and sent; one a worker, which takes its
// answers; and the keeper, which brings a spare to where the last worker stood. Answers to calls that have been answered before
// are dropped, and so are functions that have run and lines that have been printed.
//
// A fault of a kernel may be the program's or the GPU's. A spare plays the log: where it has the fault too, that is the program's own,
// the program is told, and the spare stands by again.
#pragma once

#include <remote/client/imaging.hpp>
#include <remote/client/standing.hpp>

#include <memory>
#include <optional>

namespace tasuki::remote {

class LastingLink : public Link {
public:
  // Where the log would need more room it is given up, which is said, and no spare can come in.
  LastingLink(int device, Spare first, std::shared_ptr<Spares> spares, Log::Room room,
              Imaging::Rule images = {}, std::shared_ptr<Standing> standing = std::make_shared<Standing>());
  ~LastingLink() override;

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override; // whole frames, as Connection writes them
  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override;
  void shut() noexcept override;
  void shut_for(const std::string& why) noexcept override;
  void set_patience(std::chrono::milliseconds) override {}
  std::string peer() const override;

  // Another worker plays the log while this one goes on, and takes its place: the device waits for the last of it only. Where `from`
  // is given, only if it is there. Waits; what has gone wrong, or "".
  std::string move(Spare to, const std::string& from = "");

private:
  std::shared_ptr<Worker> start(Spare place);
  void stop(const std::shared_ptr<Worker>& worker);
  void read_from(Worker& worker);
  void take(Worker& worker, Message message);
  bool is_new(Worker& worker, Message& message);
  void deliver(Message message);

  void keep();
  void fulfil(Held& held); // the wish
  bool leaving() const;    // its server is about to end, and another place was not looked for just now
  void leave(Held& held);
  std::string go(Held& held, Spare to, const std::string& why); // "", or what has gone wrong
  std::string move_to(Held& held, const std::shared_ptr<Worker>& next);
  bool troubled() const { return over_ || !worker_->usable() || doubt_; }
  void replace(Held& held);
  std::shared_ptr<Worker> found(Held& held);
  bool play(Held& held, Worker& worker, Player& player) {
    return remote::play(held, log_, image_.get(), worker, player, changed_, over_);
  }
  bool has_the_fault(Held& held, Worker& worker);
  void go_on(const std::shared_ptr<Worker>& worker);
  void take_image(Held& held);
  void give_up_log();
  void end(const std::string& what, const std::string& mend);

  const int device_;
  const std::shared_ptr<Spares> spares_;
  const std::shared_ptr<Standing> standing_;
  std::mutex sending_; // taken before mutex_
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Log log_;
  std::unordered_map<u64, std::vector<unsigned char>> places_; // of variables, as the program was told
  std::shared_ptr<Worker> worker_;
  bool playing_ = false; // calls go to the log alone
  bool doubt_ = false;   // of worker_: it has reported a fault that a spare looks for
  u64 doubted_ = 0;      // the call that was answered with it; 0: none was
  bool own_ = false;     // the program's own fault: no doubt any more
  bool logged_ = true;
  Imaging imaging_;
  std::unique_ptr<Image> image_; // from which the log goes on; null: it begins with nothing
  std::optional<Spare> wish_;    // to move there
  bool moving_ = false;
  std::string moved_;                              // or why not
  std::chrono::steady_clock::time_point looked_{}; // for a place, as its server is about to end
  bool stays_ = false;                             // that none was found is said
  std::map<u64, u64> reached_;                     // as delivered
  u64 printed_ = 0, troubles_ = 0;
  Inbox inbox_;
  bool over_ = false;
  std::string over_what_, over_mend_;
  std::thread keeper_;
};

} // namespace tasuki::remote
