#ifndef TRAVELOG_BENCHMARK_SNAPSHOTS_H
#define TRAVELOG_BENCHMARK_SNAPSHOTS_H

// Does not run the triggers of the store, which are for programs that do not record their changes.
int disable_triggers(void *database);

#endif
