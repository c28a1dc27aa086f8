"""The link to the cloud: session, window of batches in flight, catalog."""
