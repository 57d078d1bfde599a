#include "cel/values/work.h"

namespace bth::cel {
namespace {

thread_local constinit Work* of_run = nullptr;

}  // namespace

Work& Work::OfRun(Work& otherwise) {
  return of_run != nullptr ? *of_run : otherwise;
}

WorkScope::WorkScope(Work& work) : outer_(of_run) {
  of_run = &work;
}

WorkScope::~WorkScope() {
  of_run = outer_;
}

}  // namespace bth::cel
