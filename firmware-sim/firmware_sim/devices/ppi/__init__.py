"""S7-200 PLCs at their serial port."""
