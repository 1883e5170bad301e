"""What a mechanism did in one run: `picture_of` finds the pictures by the kind of step that its trace holds."""
