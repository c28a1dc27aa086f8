"""Third-party MQTT platforms as targets of stored batches."""
