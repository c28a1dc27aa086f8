"""A plant's description: read from its file, checked, copies written out."""
