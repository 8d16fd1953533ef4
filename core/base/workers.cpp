#include "base/workers.hpp"

#include <system_error>  // for system_error

#include "base/error.hpp"

namespace tw {

namespace {

constexpr auto kPollEvery = std::chrono::milliseconds(10);
constexpr int kSpins = 2000;  // some 20 µs: rounds follow each other closely, and waking a sleeper takes longer

// Waits a little without giving up the processor; true when the condition came true meanwhile.
template <class Condition>
bool spin_until(Condition condition) {
  for (int i = 0; i < kSpins; ++i) {
    if (condition()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

}  // namespace

Workers::Workers(int n_threads, std::function<bool()> poll)
    : n_threads_(n_threads < 1 ? 1 : n_threads), poll_(std::move(poll)), owner_(std::this_thread::get_id()),
      last_poll_(std::chrono::steady_clock::now()) {}

Workers::~Workers() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Workers::start_threads() {
  try {
    for (int worker = 1; worker < n_threads_; ++worker) threads_.emplace_back([this, worker] { work(worker); });
  } catch (const std::system_error&) {  // the system has no more: those that it gave do the work
    n_threads_ = static_cast<int>(threads_.size()) + 1;
  }
}

void Workers::run(std::size_t n, const Task& task) {
  if (n == 0) return;
  if (n > 1 && n_threads_ > 1 && threads_.empty()) start_threads();
  if (n_threads_ == 1 || n == 1) {
    for (std::size_t i = 0; i < n; ++i) {
      checkpoint();
      task(i, 0);
    }
    return;
  }
  {
    std::lock_guard lock(mutex_);
    task_ = &task;
    n_tasks_ = n;
    next_ = 0;
    running_ = n_threads_ - 1;
    error_ = nullptr;
    ++round_;
  }
  wake_.notify_all();
  take_tasks(0);
  spin_until([this] { return running_ == 0; });
  std::unique_lock lock(mutex_);
  while (!done_.wait_for(lock, kPollEvery, [this] { return running_ == 0; })) {
    lock.unlock();
    stop_asked();  // sets stop_, which the other threads see at their next checkpoint
    lock.lock();
  }
  task_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

void Workers::work(int worker) {
  unsigned seen = 0;
  for (;;) {
    spin_until([&] { return closing_ || round_ != seen; });
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return closing_ || round_ != seen; });
      if (closing_) return;
      seen = round_;
    }
    take_tasks(worker);
    std::lock_guard lock(mutex_);
    if (--running_ == 0) done_.notify_all();
  }
}

void Workers::take_tasks(int worker) {
  try {
    for (std::size_t i; (i = next_.fetch_add(1)) < n_tasks_;) {
      checkpoint();
      (*task_)(i, worker);
    }
  } catch (...) {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    next_ = n_tasks_;  // the others finish what they hold and take nothing new
  }
}

bool Workers::stop_asked() {
  if (stop_.load(std::memory_order_relaxed)) return true;
  if (!poll_ || std::this_thread::get_id() != owner_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_poll_ < kPollEvery) return false;
  last_poll_ = now;
  if (poll_()) stop_ = true;
  return stop_;
}

void Workers::checkpoint() {
  if (stop_asked()) throw Interrupted();
}

}  // namespace tw
