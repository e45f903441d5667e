// What each call of the table does on the device: a function a call.
//
//   Calls calls(device, grant, replies);
//   dispatch(head.call, body, [&](const auto& call, View tail) { calls.make(head, call, tail); });
#pragma once

#include <remote/device/device.hpp>
#include <remote/server/grant.hpp>
#include <remote/server/lent.hpp>
#include <remote/server/mark.hpp>
#include <remote/server/metering.hpp>
#include <remote/server/output.hpp>
#include <remote/server/peer_link.hpp>
#include <remote/server/replies.hpp>
#include <remote/server/staging.hpp>
#include <remote/server/waiters.hpp>
#include <remote/wire/ranges.hpp>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

namespace tasuki::remote {

class Calls {
public:
  // `more` says whether there is a call to be read; by `files` memory of the client's comes.
  Calls(Device& device, const Grant& grant, Replies& replies, std::function<bool()> more,
        Output* output = nullptr, Link* files = nullptr);
  ~Calls(); // streams that stop for the client go on, and all that waits is waited for

  // Makes a call, and tells the client where it fails. Throws LinkLost alone.
  template <class Message>
  void make(const CallHead& head, const Message& message, View tail) {
    number_ = head.number;
    wanted_ = Message::answered || head.wanted;
    replied_ = false;
    try {
      on(message, tail);
      if (wanted_ && !replied_) replies_.send(number_, answer::Done{});
    } catch (const DeviceError& e) {
      tell(number_, wanted_, e.status(), e.what());
    } catch (const LinkLost&) {
      throw;
    } catch (const std::exception& e) {
      tell(number_, wanted_, Status::unknown, e.what());
    }
  }

  // False while a stream stops for the client: it goes on by a call that is still to be read.
  bool may_wait() const;
  void expect(u64 token);  // a stream is about to stop: the call is read, and made later by another thread
  void release(u64 token); // it goes on; by any thread, and also before it has stopped
  void let_go();           // all streams that stop for the client: it is gone
  // A launch of a graph with functions of the client waits until these have been called for the launch before: the device's
  // driver waits so, and what the functions call could not be made meanwhile.
  bool must_wait(const call::LaunchGraph& launch) const;
  template <class Message>
  bool must_wait(const Message&) const {
    return false;
  }

  // Memory of the client's that may be read beside its calls; 0: there is none, or a stream is captured or stops for the client.
  u64 resting_memory() const {
    return captures_ == 0 && may_wait() && !mapped_at_.empty() ? *mapped_at_.begin() : 0;
  }

  // Room for a large tail, before it is read: the call that follows finds its bytes there.
  unsigned char* place(std::size_t bytes);

private:
  void on(const call::Reserve&, View);
  void on(const call::Describe&, View);
  void on(const call::Map&, View);
  void on(const call::Unmap&, View);
  void on(const call::MemoryInfo&, View);
  void on(const call::CopyIn&, View);
  void on(const call::CopyInBox&, View);
  void on(const call::CopyOut&, View);
  void on(const call::CopyOutBox&, View);
  void on(const call::Digest&, View);
  void on(const call::Copy&, View);
  void on(const call::CopyBox&, View);
  void on(const call::Fill&, View);
  void on(const call::FillBox&, View);
  void on(const call::Lend&, View);
  void on(const call::Return&, View);
  void on(const call::CopyInLent&, View);
  void on(const call::CopyOutLent&, View);
  void on(const call::Adjoin&, View);
  void on(const call::Export&, View);
  void on(const call::Import&, View);
  void on(const call::Forget&, View);
  void on(const call::Admit&, View);
  void on(const call::Dial&, View);
  void on(const call::Part&, View);
  void on(const call::CopyPeer&, View);
  void on(const call::TellPeer&, View);
  void on(const call::AwaitPeer&, View);
  void on(const call::ModuleBytes&, View);
  void on(const call::Load&, View);
  void on(const call::Unload&, View);
  void on(const call::FindKernel&, View);
  void on(const call::FindVariable&, View);
  void on(const call::SetKernelAttribute&, View);
  void on(const call::Occupancy&, View);
  void on(const call::Launch&, View);
  void on(const call::CreateStream&, View);
  void on(const call::DestroyStream&, View);
  void on(const call::WaitStream&, View);
  void on(const call::QueryStream&, View);
  void on(const call::WaitDevice&, View);
  void on(const call::CreateEvent&, View);
  void on(const call::DestroyEvent&, View);
  void on(const call::BeginCapture&, View);
  void on(const call::EndCapture&, View);
  void on(const call::Instantiate&, View);
  void on(const call::LaunchGraph&, View);
  void on(const call::DestroyGraph&, View);
  void on(const call::DestroyExecutable&, View);
  void on(const call::WordOperation&, View);
  void on(const call::Record&, View);
  void on(const call::WaitFor&, View);
  void on(const call::WaitEvent&, View);
  void on(const call::QueryEvent&, View);
  void on(const call::Elapsed&, View);
  void on(const call::HostCall&, View);
  void on(const call::Release&, View);
  void on(const call::Pause&, View);
  void on(const call::SetLimit&, View);
  void on(const call::GetLimit&, View);

  template <class Message>
  void reply(const Message& message, Status status = Status::success, View tail = {}) {
    replied_ = true;
    replies_.send(number_, message, status, tail);
  }
  // The rest of a call that waits: done by another thread, which answers. Where `ready` comes true within some microseconds,
  // and the client sends nothing meanwhile, it is done here: that is faster than a change of threads.
  void later(const std::function<bool()>& ready, std::function<void(u64 number)> rest);
  bool soon(const std::function<bool()>& ready);
  void hand_over(std::function<void(u64 number)> rest); // to that thread, at once
  // What a stream holds now; and a wait for several of them.
  std::shared_ptr<const Mark> mark(StreamId stream);
  void wait_for(std::vector<std::shared_ptr<const Mark>> marks);
  std::vector<std::shared_ptr<const Mark>> under_way(); // what all streams hold now
  void answer_behind(StreamId stream);                  // once the stream has come past this
  void leaves(StreamId stream);                         // before it is destroyed
  void tell(u64 number, bool wanted, Status status, const std::string& what);
  Staging::Piece staged(View tail);
  enum class Told { bytes, digest };
  void out(const call::CopyOutBox& box, Told told);
  // Returns once what kernels have printed, and the bytes of all copies that have come past their stream, are on their
  // way: what is answered next comes behind them.
  void settle();
  void done_waiting(u64 number);
  // Throws where a range is none of the client's: outside of its arena, of the variables that it has asked for, and of what it
  // has imported.
  void check(u64 address, u64 bytes) const;
  Link& files() const; // throws where the link passes none
  void check_box(u64 address, u64 pitch, u64 slice, u64 width, u64 height, u64 depth) const;
  void launched(StreamId stream, const std::function<void()>& launch); // in this client's turn
  std::shared_ptr<PeerLink> peer(u32 number);                          // throws where there is none
  void add_peer(u32 number, std::function<std::unique_ptr<Link>()> connect, PeerLink::Told connected);
  // The stream stops until what `begin` is given has been called, with what has come of it.
  void stop_until(StreamId stream, const std::shared_ptr<PeerLink>& peer,
                  const std::function<void(PeerLink&, PeerLink::Told)>& begin);
  StreamId stream(u64 number);
  StreamId stream_of_bytes(u64 number); // throws where it is captured
  std::shared_ptr<const Mark>& event(u64 number);
  KernelId kernel(u64 number) const;

  Device& device_;
  const Grant& grant_;
  Replies& replies_;
  std::function<bool()> more_;
  Output* output_;         // null: what kernels print is not passed on
  Link* files_;            // null: the client lends no memory
  std::thread::id reader_; // the thread that reads calls
  Staging staging_;
  Lent lent_;
  Metering metering_;
  u64 number_ = 0;
  bool wanted_ = false, replied_ = false;
  u64 base_ = 0, bytes_ = 0, mapped_ = 0;
  std::set<u64> mapped_at_;
  Ranges adjoined_, imported_; // arenas of other devices, and what has come of them
  Staging::Piece placed_;
  std::unordered_map<u64, StreamId> streams_;
  std::vector<std::shared_ptr<const Mark>> left_; // of streams that were destroyed before they were done
  bool legacy_used_ = false;                      // since all of the device was done
  std::unordered_map<u64, std::shared_ptr<const Mark>> events_;
  std::unordered_map<u64, KernelId> kernels_;
  // `functions`: of the client, that are still to be called for launches under way.
  struct Graph {
    GraphId id;
    std::shared_ptr<std::atomic<int>> functions;
  };
  struct Executable {
    ExecutableId id;
    std::shared_ptr<std::atomic<int>> functions;
  };
  static bool under_way(const Executable& made); // a launch that calls functions
  std::unordered_map<u64, Graph> graphs_;
  std::unordered_map<u64, Executable> executables_;
  int captures_ = 0;                              // under way
  std::shared_ptr<std::atomic<int>> in_captures_; // their functions
  std::unordered_map<u64, LibraryId> libraries_;
  struct Coming {
    u64 total = 0;
    std::vector<unsigned char> bytes;
  };
  std::unordered_map<u64, Coming> images_; // on their way
  std::vector<Variable> variables_;
  std::atomic<bool> faulted_{false};
  // Copies out of the device whose bytes have not been sent: the call's number, and the event behind them.
  std::mutex copies_mutex_;
  std::condition_variable copies_changed_;
  std::map<u64, EventId> copies_;
  // Streams that stop for the client.
  struct Holds {
    std::mutex mutex;
    std::multiset<u64> coming;   // tokens of calls that have been read, until their stream goes on
    std::multiset<u64> released; // of these
    std::multimap<u64, std::function<void()>> stopped; // streams that are there: how each goes on
    static void take(std::multiset<u64>& tokens, u64 token);
    void meet(u64 token);
    int waiting = 0;
    std::vector<Executable>
        leaving; // destroyed by the client while functions of their launches are still to come
    bool end = false;
  };
  void leave(); // those of which none is; with the lock of `holds_`
  std::shared_ptr<Holds> holds_ = std::make_shared<Holds>();
  std::mutex peers_mutex_;
  std::map<u32, std::shared_ptr<PeerLink>>
      peers_; // end before the threads that wait, and are gone behind them
  Waiters waiters_;
};

} // namespace tasuki::remote
