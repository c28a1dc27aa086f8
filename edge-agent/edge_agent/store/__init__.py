"""Durable store of the agent: samples become batches here, before anything is sent."""
