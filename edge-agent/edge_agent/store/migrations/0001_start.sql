-- One row: the stream that was born with this file.
CREATE TABLE stream (
  id TEXT NOT NULL,
  next_seq INTEGER NOT NULL,
  evicted_batches INTEGER NOT NULL
);

CREATE TABLE batch (
  seq INTEGER PRIMARY KEY,
  t_ms INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  catalog TEXT NOT NULL,
  payload BLOB NOT NULL
);

-- What the ring dropped unsent: evidence for the gap map.
CREATE TABLE evicted (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  t_ms INTEGER NOT NULL
);

CREATE TABLE point (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  slave TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (slave, name)
);

CREATE TABLE catalog (
  hash TEXT PRIMARY KEY,
  payload BLOB NOT NULL
);

-- A row without a result is a command that was begun and never finished.
CREATE TABLE command (
  id TEXT PRIMARY KEY,
  received_ms INTEGER NOT NULL,
  request BLOB NOT NULL,
  result BLOB,
  acknowledged INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX command_open ON command (received_ms) WHERE acknowledged = 0;
