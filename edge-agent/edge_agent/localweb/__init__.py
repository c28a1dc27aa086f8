"""The gateway's own page: values, ports, link and outbox, for somebody who stands beside it."""
