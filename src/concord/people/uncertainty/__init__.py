"""How sure a score is: over other studies, with new participants, between floor and ceiling."""
