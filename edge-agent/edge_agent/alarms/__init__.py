"""Rules that are evaluated here, with the cloud or without it: samples in, events and writes out."""
