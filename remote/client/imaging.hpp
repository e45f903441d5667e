// When an image of a device is taken, and how.
//
//   Imaging imaging(0, {"/tmp", 2ull << 30, std::chrono::seconds(60)});
//   if (imaging.due(log)) image = imaging.take(held, workers, log, changed, over);   // nobody writes calls meanwhile
//   if (image) log.cut(log.end(), true);
//
// The device finishes what it has been given, and its memory is copied: what is mapped, and the variables of its modules by the
// names that PTX gives them. So modules without PTX have no image, nor programs whose streams wait for words of memory: these
// cannot be waited for while nobody writes calls.
#pragma once

#include <remote/client/image.hpp>
#include <remote/client/tolerance.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace tasuki::remote {

class Imaging {
public:
  struct Rule {
    std::string folder = {};
    u64 bytes = 0;                           // of the log since the last one; 0: by time alone
    std::chrono::milliseconds time{0};       // 0: by bytes alone
    std::chrono::milliseconds looks{100};    // between two looks whether one is due
    std::optional<Tolerance> tolerance = {}; // of numbers in the memory of several workers
    std::function<std::unique_ptr<Storage>()> elsewhere = {}; // at a server; empty: in the folder
  };
  using Workers = std::vector<std::shared_ptr<Worker>>;

  Imaging(int device, Rule rule) : device_(device), rule_(std::move(rule)) {}

  bool wanted() const { return (rule_.bytes || rule_.time.count()) && !refused_; }
  bool due(const Log& log) const;
  // How long a keeper of workers sleeps before it looks whether an image is due, or a server about to end.
  std::chrono::milliseconds pause() const { return wanted() ? rule_.looks : std::chrono::seconds(1); }
  void later(); // not now
  // The lock that orders calls, at a moment when no stream stops for the client; not held where there was none for some time.
  static std::unique_lock<std::mutex> quiet(Held& held, std::mutex& sending, const Log& log,
                                            std::condition_variable& changed, const bool& over);
  // Of the first of the workers, with which the others have to agree; with the lock held that orders calls, too. Null: it cannot be had
  // now, or never, which is said once; `called`: the caller has to look after something else first.
  std::unique_ptr<Image> take(Held& held, const Workers& workers, const Log& log,
                              std::condition_variable& changed, const bool& over,
                              const std::function<bool()>& called);
  // Whether all of them have done what they were given; waits. Where calls may be written meanwhile, with the lock that orders them.
  bool drained(Held& held, const Workers& workers, std::condition_variable& changed, const bool& over,
               std::mutex* sending = nullptr);
  bool differed() const { return differed_; } // the workers at the last one
  void taken(const Log& log);                 // which has been cut

private:
  struct Contents {
    std::map<u64, u64> ranges;                      // address, bytes
    std::map<u64, std::set<std::string>> variables; // by module
  };
  std::optional<Contents> contents_of(const Log& log);
  bool copy(Image& image, u64 address, u64 bytes, bool zeros_too);
  template <class Call>
  u64 ask(Worker& worker, const Call& call);
  std::optional<Message> answer(Worker& worker, u64 number);
  void refuse(const std::string& why);
  std::unique_ptr<Image> begin();
  void come_home(const std::string& why);

  const int device_;
  const Rule rule_;
  bool refused_ = false;
  bool home_ = false; // images lie in the folder from now on, as the server fails
  std::map<u64, std::optional<std::set<std::string>>> names_; // of a module's variables
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now(), not_before_ = last_;
  u64 kept_ = 0; // bytes of the log that a cut leaves
  u64 own_ = own_number + (1ull << 60);
  // While one is taken:
  Held* held_ = nullptr;
  const Workers* workers_ = nullptr;
  std::condition_variable* changed_ = nullptr;
  const bool* over_ = nullptr;
  std::mutex* sending_ = nullptr;
  bool differed_ = false;
};

} // namespace tasuki::remote
