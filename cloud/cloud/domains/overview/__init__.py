"""The landing page: what a user has to know first."""
