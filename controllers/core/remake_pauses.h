// Pauses before what goes as soon as it is made is made anew.
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "api/types/resource.h"
#include "base/strings.h"
#include "base/timetable.h"
#include "client/background.h"

namespace bth::controllers {

// Mostly such an object is collected because its owner is gone and the watch has yet to tell, or
// somebody deletes whatever he sees. Made anew at once it would go again, without end and without a
// rest. So the first time it is made anew at once, the second time 5 ms after it was made, then
// twice as long each time, up to 30 s. What lasts for a second beyond its pause starts over.
// Keeps one entry per object made in that time. Thread: the executor's.
class RemakePauses final {
 public:
  explicit RemakePauses(net::Executor& executor) : executor_(executor) {}
  RemakePauses(const RemakePauses&) = delete;

  // How long `child` is not to be made yet; zero: it may be made now.
  absl::Duration Left(const std::string& child);
  // The server has made it.
  void NoteMade(const std::string& child);
  // We deleted it ourselves: making it anew is no answer to its loss.
  void Forget(const std::string& child);

  size_t size() const { return entries_.size(); }

 private:
  struct Pause {
    int losses = 0;        // In a row.
    absl::Duration until;  // Monotonic. Not to be made before.
  };

  void DropEnded();

  net::Executor& executor_;
  Timetable<std::string, Pause> entries_;  // By child; when they go.
};

// Names a child of type T for RemakePauses; `owner_uid` is empty where it has no owner.
template <typename T>
std::string ChildKey(std::string_view owner_uid, std::string_view name) {
  return StrCat(types::ResourceTraits<T>::type().plural, "/", owner_uid, "/", name);
}

}  // namespace bth::controllers
