"""What every domain uses and no domain owns: envelope, paging, times, tokens."""
