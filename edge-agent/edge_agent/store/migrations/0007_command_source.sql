-- Who gave a command: empty for the cloud, else the name of a target of [[forwarders]].
ALTER TABLE command ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX command_source ON command (source, received_ms) WHERE source <> '';
