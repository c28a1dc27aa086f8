-- A write of which nobody knows whether the device has carried it out.
ALTER TABLE command ADD COLUMN unsettled INTEGER NOT NULL DEFAULT 0;
CREATE INDEX command_unsettled ON command (received_ms) WHERE unsettled = 1;
