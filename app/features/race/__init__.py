"""Race: the same problem under several working-set rules at once."""
