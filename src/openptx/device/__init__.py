"""The device that kernels run on: its memory and addresses, a loaded module's variables, arrays, textures, `printf`."""
