-- Timed tasks that this gateway runs, what of each is decided, and their runs until the cloud has them.
CREATE TABLE task_set (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tasks BLOB NOT NULL,            -- JSON, edge_contract.edge_tasks.EdgeTasks
  state BLOB NOT NULL             -- JSON, of edge_agent.tasks
) STRICT;
CREATE TABLE task_run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  task INTEGER NOT NULL,
  state INTEGER NOT NULL,         -- store.task_log.RunState
  run BLOB NOT NULL               -- JSON, edge_contract.edge_tasks.EdgeTaskRun; seq counts, not the number in it
) STRICT;
CREATE INDEX task_run_state ON task_run (state, seq);
CREATE INDEX task_run_task ON task_run (task, seq);
CREATE TABLE task_run_dropped (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  runs INTEGER NOT NULL           -- went unsent, because too many waited
) STRICT;
INSERT INTO task_run_dropped VALUES (1, 0);
