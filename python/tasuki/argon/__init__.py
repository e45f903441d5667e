"""What `tasuki argon` knows of a replica-exchange run: its results, what they mean, whether to believe them.

`folder` reads, `states` sorts by rung, `mixing` counts exchanges and round trips, `thermo` reweights,
`phases` and `transition` look for the change of phase, `structure` at the atoms, `verdict` says what does not
convince.

Where two phases have the same free energy is a matter of several runs: `stages` plans them, `staging` makes
them, `virial` and `crystal` say where a free energy is known, `branch` takes it from there along temperature
with `integral`, `watch` sees whether a run kept its phase, `beyond` what the cut-off does, and `free_energy`
puts it together."""
