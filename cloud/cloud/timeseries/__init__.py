"""Time series behind one interface: an embedded version and InfluxDB. Knows no domain."""
