// A management cluster with one controller in it, for tests of its whole turns: the server, and the
// controller's only life there. The test plays users, providers and workload clusters. Runs inside a Baton.
#pragma once

#include "controllers/shared/life_fixture.h"

namespace capstan::controllers {

template <typename R>
class Stage : public StageServer, public Life<R> {
 public:
  Stage(fakes::Baton& with, std::string_view name, std::string_view kind,
        Nanoseconds pace = std::chrono::seconds(1))
      : StageServer(with), Life<R>(*this, name, kind, pace) {}
};

}  // namespace capstan::controllers
