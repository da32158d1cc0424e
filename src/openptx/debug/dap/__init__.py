"""The Debug Adapter Protocol on a debugger's session, for editors."""
