// Whose turn it is where a session's steps do not suffice for all who search for devices.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace bth::plugins::predicates {

// A session's steps go to whoever searches first. In the next one a namespace that some of its jobs
// were cut off in has a turn, each in order of names: it has further steps, from the first of its
// waiting jobs on that is short of them. That job waits no more; those that are cut off meanwhile
// wait until all before them began a turn. So a job that is cut off in each session begins a turn
// within 2 * J * N sessions, where N namespaces have jobs that are cut off and J of them are in its
// own: however much others search for. Nothing changes where steps suffice. Lives with the plugin.
// Thread: scheduling. Memory: names of the jobs that were cut off in two sessions.
class DeviceTurns final {
 public:
  void BeginSession();
  // The job, which is short of steps, has the further ones too. The answer may begin the turn.
  bool IsTurnOf(std::string_view ns, std::string_view job);
  // Others left the job too few steps.
  void CutOff(std::string_view ns, std::string_view job);

 private:
  using Jobs = std::set<std::string, std::less<>>;
  using JobsByNamespace = std::map<std::string, Jobs, std::less<>>;

  JobsByNamespace waiting_;  // Cut off in the last session and to begin a turn.
  JobsByNamespace cut_off_;  // In this session.
  std::string turn_;         // A namespace; empty: nobody had a turn yet.
  std::string first_;        // The job that began the turn; empty: none did.
};

}  // namespace bth::plugins::predicates
