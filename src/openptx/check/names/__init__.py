"""What names refer to: scopes, declarations, linkage."""
