// Carries the precompiled header of the unit tests.
