"""Loop-write tasks: messages that go to slaves again and again."""
