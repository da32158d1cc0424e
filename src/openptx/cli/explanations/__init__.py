"""What `openptx explain` says, a module for each kind of thing. Each gives text, or None for what it does not know."""
