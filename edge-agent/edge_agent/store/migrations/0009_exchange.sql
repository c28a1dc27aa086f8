-- Rules of data exchange that this gateway runs, and what each did last.
CREATE TABLE exchange (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  rules BLOB NOT NULL,            -- JSON, edge_contract.exchange_rules.ExchangeRules
  state BLOB NOT NULL             -- JSON, of edge_agent.exchange
) STRICT;
