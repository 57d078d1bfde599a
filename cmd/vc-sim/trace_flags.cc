#include "cmd/vc-sim/trace_flags.h"

namespace bth::cmd {

CLI::App* AddTrace(CLI::App& app, trace::TraceFlags* flags) {
  CLI::App* command = app.add_subcommand(
      "trace", "Replay a workload trace on a simulated cluster; see docs/vc-sim.md.");
  command->require_subcommand(0, 1);
  command->add_option("FILE", flags->file, "The trace, or - for standard input.");
  command->add_option("--format", flags->format, "swf, csv, or auto: by the file's name.")
      ->capture_default_str();
  command->add_option("--nodes", flags->cluster.nodes, "How many nodes there are.");
  command->add_option("--node", flags->cluster.node,
                      "What each has, such as cpu=64,memory=256Gi,nvidia.com/gpu=8.");
  command->add_option("--cluster", flags->cluster.files, "Manifests of nodes, queues and so on.")
      ->allow_extra_args(false);
  command->add_option("--queue", flags->cluster.queues, "Weight of a queue, such as research=3.")
      ->allow_extra_args(false);
  command->add_option("--scheduler-conf", flags->conf,
                      "A scheduler.conf; without it, the built-in policy.");
  command->add_option("--compare", flags->compare,
                      "Another one, or builtin: replay under both, side by side.");
  command->add_option("--plugins-dir", flags->plugins_dir,
                      "Folder of shared objects with further plugins.");
  command->add_option("--task-cpus", flags->task_cpus, "SWF: processors of a task, at most.")
      ->capture_default_str();
  command
      ->add_option("--gang-percent", flags->gang_percent,
                   "SWF: so many percent of a job's tasks must run at once.")
      ->capture_default_str();
  command
      ->add_option("--on-eviction", flags->on_eviction,
                   "restart-job or restart-task: what is made anew after an eviction.")
      ->capture_default_str();
  command->add_option("--until", flags->until, "End after so much simulated time, such as 720h.");
  command->add_option("--output,-o", flags->output, "table or json.")->capture_default_str();
  command->add_option("--svg", flags->svg, "Draw use and waiting jobs over time into a file.");
  command->add_option("--seed", flags->seed, "Of names and ties.")->capture_default_str();
  command->add_flag("--progress", flags->progress, "Say on standard error how far it is.");
  return command;
}

CLI::App* AddGenerate(CLI::App& trace, trace::GenerateFlags* flags) {
  trace::GenerateOptions& options = flags->options;
  CLI::App* command = trace.add_subcommand("generate", "Make a workload trace up.");
  command->add_option("--seed", options.seed, "The same seed, the same trace.")
      ->capture_default_str();
  command->add_option("--jobs", options.jobs, "How many.")->capture_default_str();
  command->add_option("--days", options.days, "In which they are submitted.")
      ->capture_default_str();
  command->add_option("--cpus", options.cpus, "Of the cluster that it is for.")
      ->capture_default_str();
  command->add_option("--load", options.load, "Share of those that the jobs ask for.")
      ->capture_default_str();
  command->add_option("--size-max", options.size_max, "Processors of the largest job.")
      ->capture_default_str();
  command->add_option("--task-cpus", options.task_cpus, "Processors of a task, at most.")
      ->capture_default_str();
  command->add_option("--gpus", options.gpu_share, "Share of jobs with a GPU for each task.")
      ->capture_default_str();
  command->add_option("--urgent", options.urgent_share, "Share of jobs with priority 1000.")
      ->capture_default_str();
  command->add_option("--queues", options.queues, "How many.")->capture_default_str();
  command->add_option("--users", options.users, "How many.")->capture_default_str();
  command->add_option("--format", flags->format, "csv or swf.")->capture_default_str();
  command->add_option("--output,-o", flags->path, "A file; without it, standard output.");
  return command;
}

}  // namespace bth::cmd
