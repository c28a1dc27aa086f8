"""The machine under the agent, as far as the agent needs to know it."""
