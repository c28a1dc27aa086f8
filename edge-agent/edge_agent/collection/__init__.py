"""What should have been read and what was: counted by the schedule, stored until the cloud has it."""
