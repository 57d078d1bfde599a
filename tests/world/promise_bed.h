// One promise that is told of a cluster by hand, and judges.
#pragma once

#include <memory>
#include <string>

#include "api/types/json.h"
#include "apiserver/store/object.h"
#include "sim/world/paths.h"
#include "sim/world/promises/promise.h"
#include "tests/support/catch.h"

namespace bth::sim {

// What one promise hears of a cluster, and when.
class PromiseBed {
 public:
  explicit PromiseBed(PromisePtr (*make)(const Sight&)) {
    sight.now = [this] { return now; };
    sight.fair_since = [this] { return fair_since; };
    promise = make(sight);
  }

  void Put(const std::string& collection, const std::string& text) {
    Note(collection, text, apiserver::EventType::kModified);
  }
  void Remove(const std::string& collection, const std::string& text) {
    Note(collection, text, apiserver::EventType::kDeleted);
  }
  void Send(const std::string& from, const std::string& method, const std::string& target,
            const std::string& body = "") {
    const Process process(timeline, from);
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    promise->OnWrite({process, request, PathOf(request), now});
  }
  void Pass(absl::Duration time) {
    for (const absl::Duration end = now + time; now < end;) {
      now += absl::Minutes(1);
      promise->OnTick();
    }
  }
  const std::string& breach() const { return promise->breach(); }

  Timeline timeline{absl::UnixEpoch(), 1};
  Sight sight;
  absl::Duration now = absl::Hours(1);
  absl::Duration fair_since;
  PromisePtr promise;

 private:
  void Note(const std::string& collection, const std::string& text, apiserver::EventType type) {
    absl::StatusOr<types::Json> json = types::Json::Parse(text);
    REQUIRE(json.ok());
    (*json)["metadata"].Set("resourceVersion", "1");
    apiserver::StoreEvent event;
    event.type = type;
    event.object = apiserver::MakeStored(*json, {});
    sight.ledger.Note(collection, event, {promise.get()});
  }
};

}  // namespace bth::sim
