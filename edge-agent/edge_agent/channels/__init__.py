"""Network channels: a server in the network and a serial line, one behind the other."""
