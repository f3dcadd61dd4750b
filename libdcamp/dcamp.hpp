// Timers, steps and locks that end with their scope; all else is as in dcamp.h. Header only; C++17.
//
//     dcamp::scoped_timer timing(requests);    // struct dcamp_timer *
//     dcamp::scoped_step checking(check, 4711); // struct dcamp_step *, the sequence
//     checking.result(-1);
//     dcamp::scoped_lock holding(stock, mutex);  // struct dcamp_lock *, std::mutex or the like
#ifndef DCAMP_HPP
#define DCAMP_HPP

#include "dcamp.h"

#include <cstdint>
#include <exception>

namespace dcamp
{

// Counts how long it has lived.
class scoped_timer
{
  public:
    explicit scoped_timer(dcamp_timer *timer) noexcept
        : timer_(timer), start_(dcamp_timer_start(timer))
    {
    }
    ~scoped_timer()
    {
        dcamp_timer_stop(timer_, start_);
    }
    scoped_timer(const scoped_timer &) = delete;
    scoped_timer &operator=(const scoped_timer &) = delete;

  private:
    dcamp_timer *timer_;
    std::uint64_t start_;
};

// An execution that ends with its scope. Without a result it is 0, or -1 where an exception ends
// it.
class scoped_step
{
  public:
    explicit scoped_step(dcamp_step *step, std::uint64_t sequence = 0) noexcept
        : step_(step), execution_(dcamp_step_begin(step, sequence)),
          exceptions_(std::uncaught_exceptions())
    {
    }
    ~scoped_step()
    {
        if (!has_result_ && std::uncaught_exceptions() > exceptions_)
            result_ = -1;
        dcamp_step_end(step_, execution_, result_);
    }
    scoped_step(const scoped_step &) = delete;
    scoped_step &operator=(const scoped_step &) = delete;

    void result(std::int32_t result) noexcept
    {
        result_ = result;
        has_result_ = true;
    }

  private:
    dcamp_step *step_;
    dcamp_execution execution_;
    int exceptions_;
    std::int32_t result_ = 0;
    bool has_result_ = false;
};

// Holds a mutex, as std::lock_guard does, and counts that. Mutex is Lockable.
template <class Mutex> class scoped_lock
{
  public:
    scoped_lock(dcamp_lock *lock, Mutex &mutex) : lock_(lock), mutex_(mutex)
    {
        claim_ = dcamp_lock_arrive(lock_);
        try {
            if (!mutex_.try_lock()) {
                dcamp_lock_wait(lock_, &claim_);
                mutex_.lock();
            }
        } catch (...) {
            dcamp_lock_fail(lock_, &claim_);
            throw;
        }
        dcamp_lock_acquire(lock_, &claim_);
    }
    ~scoped_lock()
    {
        dcamp_lock_release(lock_, &claim_);
        mutex_.unlock();
    }
    scoped_lock(const scoped_lock &) = delete;
    scoped_lock &operator=(const scoped_lock &) = delete;

  private:
    dcamp_lock *lock_;
    Mutex &mutex_;
    dcamp_claim claim_;
};

} // namespace dcamp

#endif
