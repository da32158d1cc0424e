"""What the meanings of several instructions share."""
