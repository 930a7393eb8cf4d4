// A preload that does nothing.
