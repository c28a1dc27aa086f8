"""Alarm rules: one evaluator for gateway and cloud. Pure; every time comes with the call.

rule: what a rule says, as JSON; regions: where a comparison becomes and stays true; conditions: one condition
with its memory; engine: samples and time in, transitions out; state: what a restart needs.
"""
