// What is known of a workload cluster, after the wall clock of the manager was set: its times move along, so
// that the ages that are read from them stay those of the steady clock. Values in, values out.
#pragma once

#include "kubeconfig/probe.h"
#include "kubeconfig/reach.h"

namespace capstan::kubeconfig {

// How far the wall clock is ahead of the steady one.
inline Nanoseconds offset_of(const Moment& at) {
  return at.wall.time_since_epoch() - at.steady.time_since_epoch();
}

// `by`: how much the offset has grown since the times were written. A clock that merely runs a little fast or
// slow changes nothing.
void follow_clock(Reach& reach, Nanoseconds by);

}  // namespace capstan::kubeconfig
