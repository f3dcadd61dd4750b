// Timers and steps that end with their scope; all else is as in dcamp.h. Header only; C++17.
//
//     dcamp::scoped_timer timing(requests);    // struct dcamp_timer *
//     dcamp::scoped_step checking(check, 4711); // struct dcamp_step *, the sequence
//     checking.result(-1);
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

} // namespace dcamp

#endif
