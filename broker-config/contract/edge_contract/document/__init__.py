"""The gateway configuration document: a JSON object with the sections of gateway.toml. Pure.

tables: which sections are lists of rows, their keys and references; rows: reading them; values: equality and
flat fields; difference and patch: patched(a, difference(a, b)) is b; merge: three-way, with named clashes;
references: what names slaves and points; rename: what follows a new name; masking: secrets.
"""
