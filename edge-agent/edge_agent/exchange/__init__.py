"""Rules of data exchange that run here, with the cloud or without it: values in, writes and results out."""
