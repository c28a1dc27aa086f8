-- Where each consumer of the batches stands; without a row the primary one needs every batch that is stored.
CREATE TABLE consumer (
  name TEXT PRIMARY KEY,
  upto_seq INTEGER NOT NULL,      -- needs nothing up to here
  done TEXT NOT NULL,             -- JSON: ranges beyond it that it needs no more, stored for another
  lost_batches INTEGER NOT NULL,  -- moved past by its own bound or dropped by the ring; the primary's are in stream
  lost TEXT NOT NULL,             -- JSON: the newest ranges of them
  state TEXT NOT NULL             -- the consumer's own, of the same moment as its cursor
) STRICT, WITHOUT ROWID;
