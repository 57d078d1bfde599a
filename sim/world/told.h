// A story told in a process of its own, so that neither a crash nor an endless loop ends the
// others.
#pragma once

#include <sys/types.h>

#include <string>

#include "sim/world/storm.h"

namespace bth::sim {

struct Told {
  StormResult result;
  double cpu_s = 0;
  std::string log;  // The end of what it wrote to its standard error.
};

// One child process. Thread: one.
class Telling final {
 public:
  Telling(const Story& story, const StormOptions& options, int seconds_max);
  Telling(const Telling&) = delete;
  ~Telling();

  // Readable when something of the result is there.
  int descriptor() const { return result_; }
  // Reads what is there; true when it has ended.
  bool Read();
  // Waits for the child, whose Read was true.
  Told Take();

 private:
  pid_t child_ = -1;
  int result_ = -1;
  int log_ = -1;
  std::string text_;
};

// From the beginning to the end.
Told TellApart(const Story& story, const StormOptions& options, int seconds_max);

}  // namespace bth::sim
