"""What `tasuki argon` knows of a replica-exchange run: its results, what they mean, whether to believe them.

`folder` reads, `states` sorts by rung, `mixing` counts exchanges and round trips, `thermo` reweights,
`phases` and `transition` look for the change of phase, `structure` at the atoms, `verdict` says what does not
convince."""
