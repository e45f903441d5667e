#include <remote/server/waiters.hpp>

namespace tasuki::remote {

Waiters::~Waiters() {
  {
    std::lock_guard hold(mutex_);
    end_ = true;
    wake_.notify_all();
  }
  for (auto& thread : threads_) thread.join();
}

void Waiters::add(std::function<void()> task) {
  std::lock_guard hold(mutex_);
  tasks_.push_back(std::move(task));
  if (idle_ < tasks_.size() && threads_.size() < at_most)
    threads_.emplace_back([this] { work(); });
  else
    wake_.notify_one();
}

void Waiters::work() {
  std::unique_lock hold(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(hold, [this] { return end_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    hold.unlock();
    task();
    task = nullptr; // what it holds goes before the lock is taken
    hold.lock();
  }
}

} // namespace tasuki::remote
