-- Records that a forwarder makes of batches, such as means of a minute, until they are sent and for requests after that.
CREATE TABLE target_record (
  consumer TEXT NOT NULL,
  kind TEXT NOT NULL,             -- the consumer's own
  t_ms INTEGER NOT NULL,          -- begin of its period, UTC
  due_ms INTEGER NOT NULL,        -- end of its period: records are sent, and given up, in this order
  state INTEGER NOT NULL,         -- store.base.RecordState
  payload BLOB NOT NULL,
  PRIMARY KEY (consumer, kind, t_ms)
) STRICT, WITHOUT ROWID;
CREATE INDEX target_record_waiting ON target_record (consumer, due_ms) WHERE state = 1;
CREATE TABLE target_note (
  consumer TEXT NOT NULL,
  name TEXT NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (consumer, name)
) STRICT, WITHOUT ROWID;
