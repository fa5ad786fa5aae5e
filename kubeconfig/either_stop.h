// A stop token that is triggered by either of two: the one of the caller, and the one of the client that it
// calls. For the time of one call; safe from any thread.
#pragma once

#include <stop_token>

namespace capstan::kubeconfig {

class EitherStop {
 public:
  EitherStop(const std::stop_token& one, const std::stop_token& other)
      : by_one_(one, Stop{stop_}), by_other_(other, Stop{stop_}) {}
  EitherStop(const EitherStop&) = delete;
  EitherStop& operator=(const EitherStop&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  struct Stop {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  std::stop_source stop_;
  std::stop_callback<Stop> by_one_;
  std::stop_callback<Stop> by_other_;
};

}  // namespace capstan::kubeconfig
