// What admission says beside yes and no: warnings for the client, annotations for the audit.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "apiserver/admission/stage.h"

namespace bth::apiserver {

// Beyond this much of all warnings of one request they are cut, then left out.
constexpr size_t kWarningCharactersMax = 4096;
constexpr size_t kLongWarningCharactersMax = 256;

// Control characters become blanks, since warnings are sent as headers.
void AddWarning(WriteContext& write, std::string_view text);

// The latest annotations, as an audit log would have them. Nothing here writes one: they can be
// looked at in process. Thread: the executor's.
class AuditTrail {
 public:
  static constexpr size_t kNotesMax = 1000;
  static constexpr size_t kValueBytesMax = 10 * 1024;

  struct Note {
    absl::Time time;
    std::string resource;
    std::string ns;
    std::string name;
    std::string key;
    std::string value;
  };
  void Add(const WriteContext& write, std::string key, std::string_view value);
  const std::deque<Note>& notes() const { return notes_; }

 private:
  std::deque<Note> notes_;  // The oldest first.
};

}  // namespace bth::apiserver
