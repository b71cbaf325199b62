"""Names of notes and places in them: `bees:12` and `Bees#Swarm` to a place, and suggestions for unknown names."""
