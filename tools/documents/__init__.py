"""Material of the generated documents."""
