-- Rules that this gateway evaluates, what is known of them, and what has happened, until the cloud has it.
CREATE TABLE rule_set (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  rules BLOB NOT NULL,            -- JSON, edge_contract.edge_rules.Rules
  state BLOB NOT NULL             -- JSON, edge_contract.alarms.state.EngineState
) STRICT;
CREATE TABLE rule_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event BLOB NOT NULL,            -- JSON, edge_contract.edge_rules.RuleEvent; seq counts, not the number in it
  acknowledged INTEGER NOT NULL   -- the cloud holds it; kept for the gateway's own page
) STRICT;
CREATE INDEX rule_event_waiting ON rule_event (acknowledged, seq);
CREATE TABLE rule_event_dropped (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  events INTEGER NOT NULL         -- went unsent, because too many waited
) STRICT;
INSERT INTO rule_event_dropped VALUES (1, 0);
CREATE TABLE linkage (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  linkage BLOB NOT NULL,          -- JSON, writes to be done
  begun INTEGER NOT NULL          -- never again, whatever happens
) STRICT;
