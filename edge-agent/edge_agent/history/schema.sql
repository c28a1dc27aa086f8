CREATE TABLE point (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  slave TEXT NOT NULL,
  name TEXT NOT NULL,
  first_ms INTEGER,
  last_ms INTEGER,
  UNIQUE (slave, name)
) STRICT;

-- Samples of one slave, in the encoding of the contract's batches.
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  slave TEXT NOT NULL,
  first_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  payload BLOB NOT NULL
) STRICT;
CREATE INDEX chunk_age ON chunk (last_ms);

-- Samples that wait to become chunks, as each storage cycle brought them.
CREATE TABLE noted (
  id INTEGER PRIMARY KEY,
  payload BLOB NOT NULL
) STRICT;

-- One row. evicted: samples dropped because the file was full.
CREATE TABLE total (
  samples INTEGER NOT NULL,
  evicted INTEGER NOT NULL
) STRICT;
INSERT INTO total VALUES (0, 0);
