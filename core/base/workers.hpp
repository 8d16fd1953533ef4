// Workers: the threads of one call. They live for one fit or predict, so nothing survives a fork or an error.
//
// run(n, task) calls task(i, worker) for i in 0..n-1, each i exactly once, on all threads including the caller.
// Which thread takes which i is left to chance: results must not depend on it (integer sums, total orders).
// The calling thread looks for Ctrl-C every few milliseconds through the poll function it was given.
#pragma once

#include <atomic>              // for atomic
#include <chrono>              // for steady_clock
#include <condition_variable>  // for condition_variable
#include <cstddef>             // for size_t
#include <exception>           // for exception_ptr
#include <functional>          // for function
#include <mutex>               // for mutex
#include <thread>              // for thread
#include <vector>              // for vector

namespace tw {

class Workers {
 public:
  using Task = std::function<void(std::size_t index, int worker)>;

  // poll returns true when the user asked to stop; it is only ever called on the thread that made the Workers.
  explicit Workers(int n_threads, std::function<bool()> poll = nullptr);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int size() const { return n_threads_; }
  void run(std::size_t n, const Task& task);

  // Whether a stop was asked for; the thread that made the Workers polls for it now and then.
  bool stop_asked();
  // Throws Interrupted when a stop was asked for. Cheap enough to call once per node.
  void checkpoint();

 private:
  void start_threads();
  void work(int worker);
  void take_tasks(int worker);

  int n_threads_;
  std::function<bool()> poll_;
  std::thread::id owner_;
  std::chrono::steady_clock::time_point last_poll_;
  std::atomic<bool> stop_{false};

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const Task* task_ = nullptr;
  std::size_t n_tasks_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> running_{0};
  std::atomic<unsigned> round_{0};
  std::atomic<bool> closing_{false};
  std::exception_ptr error_;
};

}  // namespace tw
