// The body of a watch: lines of events until the time is up or the watcher is closed.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/output.h"
#include "apiserver/store/watcher.h"
#include "net/http.h"

namespace bth::apiserver {

struct WatchTiming {
  bool bookmarks = false;
  absl::Duration timeout;
};

std::unique_ptr<net::ByteStream> MakeWatchStream(std::shared_ptr<Core> core,
                                                 std::shared_ptr<Watcher> watcher,
                                                 WatchRenderer renderer, WatchTiming timing);
// One ERROR event and the end.
std::unique_ptr<net::ByteStream> MakeErrorStream(const absl::Status& status);

}  // namespace bth::apiserver
