"""The meanings of names: scopes, declarations, linkage."""
