"""The contract between gateways and cloud: topics, messages, the sample batch, who may do what.

Pure: no I/O, no clock, no logging. CONTRACT.md beside this package states the guarantees.
"""
