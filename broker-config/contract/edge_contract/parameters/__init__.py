"""Parameter groups of a gateway: typed, with ranges and dependencies, the same for portal, cloud and agent.

A group is a view over the configuration document, which stays the one place of truth. `groups.GROUPS` lists
them all; a new one is a module with a model and a `ParameterGroup`, and a line there.
"""
