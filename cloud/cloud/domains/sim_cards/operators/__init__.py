"""Where usage, state and expiry of cards come from: operators, each behind the interface of base.py.

Nothing is fetched from anybody unless an adapter for it is built here and named in the settings; there is
none yet, and the file is what every operator can give.
"""
