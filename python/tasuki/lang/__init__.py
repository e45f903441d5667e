"""`tasuki cc`: C with directives (XcalableMP, XcalableACC, OpenACC) becomes C that calls the run time.

    source --preprocess--> text --tokens--> --parse--> tree --meaning--> --rewrite--> text for the user's
    compiler

`share` does the same for arrays that all processes share (MpC, SMint). `driver` does it for a command line,
and `dialects` says which of both a source is. `preprocess`, `tokens`, `parse` and
`types` know C and no dialect.
"""
