-- Records of what was read, as they are sent; the newest may still grow.
CREATE TABLE collection (
  seq INTEGER PRIMARY KEY,
  span_ms INTEGER NOT NULL,
  payload BLOB NOT NULL
) STRICT;

-- One row: up to when records cover the time, why the agent ended then (empty: it did not say),
-- and what it was to read of each slave in an hour.
CREATE TABLE covered (
  id INTEGER PRIMARY KEY,
  next_seq INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  ended TEXT NOT NULL,
  per_hour TEXT NOT NULL
) STRICT;
