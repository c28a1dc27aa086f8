"""What others ask this gateway to do: commands from the cloud and writes from the local page."""
