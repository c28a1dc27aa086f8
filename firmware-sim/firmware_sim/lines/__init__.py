"""Lines that carry devices: pseudo terminals, ports of loopback, what bytes cost there, how answers leave."""
