"""What should have been read and what was: counted by the schedule, kept until the cloud has it."""
